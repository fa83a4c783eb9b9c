-- ComputeDomain. It becomes Ready only when pods that claim it are on their nodes, and those come after it:
-- to wait for that would be to wait for ever.
if obj.status ~= nil and obj.status.status == "Ready" then
  return { status = "Healthy", message = "the domain is ready" }
end
return { status = "Healthy", message = "the domain waits for its workload" }
