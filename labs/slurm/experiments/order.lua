-- burst_buffer.lua of the experiment: writes down when it is called, and waits in data_in until DIR/stage/JOB.ready is there.
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

function slurm_bb_job_process(script, uid, gid)
  say("process", "-")
  local file = io.open(script, "r")
  local text = file and file:read("*a") or ""
  if file then file:close() end
  if text:find("#SPILLWAY bad", 1, true) then return slurm.ERROR, "line 2: spillway knows in= and out=, not 'bad'" end
  return slurm.SUCCESS
end

function slurm_bb_pools()
  return slurm.SUCCESS, '{"pools":[{"id":"stage","quantity":1000000,"granularity":1}]}'
end

function slurm_bb_setup(job)
  say("setup", job)
  return slurm.SUCCESS
end

function slurm_bb_data_in(job)
  job = number(job)
  say("data_in", job)
  local status = os.execute(dir .. "/bin/stage-in " .. job)
  say("data_in_end", job)
  if status == 0 or status == true then return slurm.SUCCESS end
  return slurm.ERROR, "may not read /home/alice/in (seen at stage-in)"
end

function slurm_bb_real_size() return slurm.SUCCESS end
function slurm_bb_paths(job) say("paths", job) return slurm.SUCCESS end
function slurm_bb_pre_run(job) say("pre_run", job) return slurm.SUCCESS end
function slurm_bb_post_run(job) say("post_run", job) return slurm.SUCCESS end

function slurm_bb_data_out(job)
  job = number(job)
  say("data_out", job)
  os.execute(dir .. "/bin/stage-out " .. job)
  return slurm.SUCCESS
end

function slurm_bb_job_teardown(job) say("teardown", job) return slurm.SUCCESS end
function slurm_bb_get_status() return slurm.SUCCESS, "nothing\n" end

-- Since 24.05 slurmctld does not start without these.
function slurm_bb_test_data_in() return slurm.SUCCESS end
function slurm_bb_test_data_out() return slurm.SUCCESS end
