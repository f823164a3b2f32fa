-- burst_buffer.lua of the experiment: writes down when it is called, and waits in pre_run until DIR/stage/JOB.go is there.
local dir = "@DIR@"

local function say(call, job)
  local clock = io.open("/proc/uptime", "r")
  local up = clock:read("*l"):match("%S+")
  clock:close()
  local log = io.open(dir .. "/log/stage.log", "a")
  log:write(up, " ", call, " ", job, "\n")
  log:close()
end

local function number(job)
  return (tostring(job):gsub("%D", ""))
end

function slurm_bb_job_process() return slurm.SUCCESS end
function slurm_bb_pools() return slurm.SUCCESS, '{"pools":[{"id":"stage","quantity":1000000,"granularity":1}]}' end
function slurm_bb_setup(job) say("setup", number(job)) return slurm.SUCCESS end
function slurm_bb_data_in(job)
  say("data_in", number(job))
  local hold = io.open(dir .. "/stage/hold", "r")
  if hold then os.execute(dir .. "/bin/wait " .. number(job)) end
  return slurm.SUCCESS
end
function slurm_bb_real_size() return slurm.SUCCESS end
function slurm_bb_paths() return slurm.SUCCESS end

function slurm_bb_pre_run(job)
  job = number(job)
  say("pre_run", job)
  os.execute(dir .. "/bin/wait " .. job)
  say("pre_run_end", job)
  local fail = io.open(dir .. "/stage/fail", "r")
  if fail then return slurm.ERROR, "it was told to fail" end
  return slurm.SUCCESS
end

function slurm_bb_post_run(job) say("post_run", number(job)) return slurm.SUCCESS end
function slurm_bb_data_out(job) say("data_out", number(job)) return slurm.SUCCESS end
function slurm_bb_job_teardown(job) say("teardown", number(job)) say("teardown_end", number(job)) return slurm.SUCCESS end
function slurm_bb_get_status() return slurm.SUCCESS, "nothing\n" end

-- Since 24.05 slurmctld does not start without these.
function slurm_bb_test_data_in() return slurm.SUCCESS end
function slurm_bb_test_data_out() return slurm.SUCCESS end
