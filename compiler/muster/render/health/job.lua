-- batch/v1 Job. A failed test of muster is a result, not a broken sync: one bad node must not hold up the
-- others. Every other Job keeps the health that Argo CD gives it by itself.
local labels = obj.metadata.labels or {}
local ours = labels["app.kubernetes.io/managed-by"] == "muster"
local ended, failed, suspended = false, false, false
local message, failure = "", ""
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    if condition.type == "Failed" then
      ended, failed, failure = true, true, condition.message or ""
    elseif condition.type == "Complete" then
      ended, message = true, condition.message or ""
    elseif condition.type == "Suspended" then
      ended, message = true, condition.message or ""
      suspended = condition.status == "True"
    end
  end
end
if not ended then
  return { status = "Progressing", message = message }
end
if failed and ours then
  return { status = "Healthy", message = "the test failed, which is a result: " .. failure }
end
if failed then
  return { status = "Degraded", message = failure }
end
if suspended then
  return { status = "Suspended", message = message }
end
return { status = "Healthy", message = message }
