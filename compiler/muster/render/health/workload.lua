-- MPIJob, TrainJob, JobSet, Certification, WorkloadRun: conditions, of which a final one is True at the end.
-- A failed test of muster is a result, not a broken sync: one bad node must not hold up the others.
local labels = obj.metadata.labels or {}
local ours = labels["app.kubernetes.io/managed-by"] == "muster"
local done = { Succeeded = true, Complete = true, Completed = true }
local status, message = "Progressing", ""
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    if condition.status == "True" then
      local said = condition.message or ""
      if done[condition.type] then
        return { status = "Healthy", message = said }
      end
      if condition.type == "Failed" and ours then
        return { status = "Healthy", message = "the test failed, which is a result: " .. said }
      end
      if condition.type == "Failed" then
        return { status = "Degraded", message = said }
      end
      if condition.type == "Suspended" then
        status = "Suspended"
      end
      message = said
    end
  end
end
return { status = status, message = message }
