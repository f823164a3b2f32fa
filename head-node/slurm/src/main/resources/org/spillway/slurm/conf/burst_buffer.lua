-- burst_buffer.lua: Slurm's hook for the data of jobs, written by 'spillway slurm config'. For Slurm 22.05 to 26.05, Lua 5.1 and later.
--
-- A user's text is only ever read from a file or handed on in one: no part of it gets into a command. Slurm calls
-- slurm_bb_job_process and slurm_bb_paths inside slurmctld, where nothing may wait; all others in a process of their own.
-- Before 23.02 calls have fewer arguments than later, and before 24.05 nobody asks slurm_bb_test_data_in.

local SOCKET = "@SOCKET@"
local CURL = "@CURL@"
local SQUEUE = "SLURM_CONF=@CONF@ @SQUEUE@"
local PARTITIONS = { @PARTITIONS@ }
local MARK = "#SPILLWAY"
local ALLOWED = "allowed: in=PATTERN[:FOLDER], out=PATTERN[:DESTINATION], out!=PATTERN[:DESTINATION]"
local MOST_BYTES = 65536
local MOST_WORDS = 100
local LONGEST_WAIT_SECONDS = 5
local TEARDOWN_SECONDS = 10
-- Longer than the head waits with its answer; and less than OtherTimeout of burst_buffer.conf, at which Slurm ends the job.
local NODES_ANSWER_SECONDS = 15
local NODES_SECONDS = 3000
-- Answers that no waiting changes.
local FINAL = { [400] = true, [403] = true, [404] = true, [409] = true, [413] = true }

local function number(job)
  local text = tostring(job)
  return #text <= 10 and text:match("^[1-9]%d*$") or nil
end

local function is_plain_path(path)
  return type(path) == "string" and path:match("^/[%w%./_-]+$") ~= nil
end

-- The script down to its first command: our lines, and an empty one for each other, so that they keep their numbers.
-- Slurm itself stops at the first line that is not empty and has no # at its very beginning: what follows it is a mistake.
local function top(path)
  local file = io.open(path, "rb")
  if not file then return nil, "the script cannot be read" end
  local kept, bytes, ended, late = {}, 0, nil, nil
  for line in file:lines() do
    if line:sub(1, #MARK) == MARK then
      kept[#kept + 1] = line
      bytes = bytes + #line
      if ended and not late then late = "line " .. #kept .. ": Slurm stops reading at line " .. ended .. ", which has a blank at its beginning; remove it" end
    elseif line:match("^%s*$") or line:match("^%s*#") then
      kept[#kept + 1] = ""
      if line:match("^%s") then ended = ended or #kept end
    else
      break
    end
    bytes = bytes + 1
    if bytes > MOST_BYTES then break end
  end
  file:close()
  if late then return nil, late end
  if bytes > MOST_BYTES then return nil, "the lines before the first command have more than 64 KiB" end
  return kept
end

-- As a shell splits words; evaluates nothing. A word is put together once: slurmctld waits for this.
local function words(text)
  local all, word, at = {}, nil, 1
  local function add(character)
    word = word or {}
    word[#word + 1] = character
  end
  local function finish()
    if word then all[#all + 1] = table.concat(word) end
    word = nil
  end
  while at <= #text do
    local next = text:sub(at, at)
    at = at + 1
    if next:match("[ \t\r]") then
      finish()
    elseif next == "#" and not word then
      break
    elseif next == "'" or next == '"' then
      word = word or {}
      local closed = false
      while at <= #text and not closed do
        local inner = text:sub(at, at)
        at = at + 1
        if inner == next then
          closed = true
        elseif inner == "\\" and next == '"' and text:sub(at, at):match('["\\$`]') then
          add(text:sub(at, at))
          at = at + 1
        else
          add(inner)
        end
      end
      if not closed then return nil, "the quote " .. next .. " is not closed" end
    elseif next == "\\" then
      if at > #text then return nil, "nothing follows the backslash at the end; words stand on one line" end
      add(text:sub(at, at))
      at = at + 1
    else
      add(next)
    end
  end
  finish()
  return all
end

local function wrong_word(word)
  local value = word:match("^in=(.*)$")
  local out = word:match("^out!?=(.*)$")
  if not value and not out then
    if word:match("^%-*container") then
      return "images are for 'spillway submit': a job of Slurm begins one itself, with 'apptainer exec' or Slurm's own --container; "
        .. ALLOWED
    end
    if word:match("^%-%-") then return "options are for 'spillway submit'; with sbatch " .. ALLOWED end
    return "not known; " .. ALLOWED
  end
  local pattern = (value or out):match("^[^:]*")
  if pattern == "" then return "names no file; " .. ALLOWED end
  if out and pattern:sub(1, 1) == "/" then return "PATTERN is absolute; allowed: a path in the job's folder" end
  if out and ("/" .. pattern .. "/"):find("/../", 1, true) then
    return "PATTERN has '..' in it; allowed: a path in the job's folder"
  end
  return nil
end

-- The fault of the lines; nil for none. The head looks closer: this is what can be said without asking anybody.
local function mistake(lines)
  local count = 0
  for index, line in ipairs(lines) do
    local rest = line:sub(#MARK + 1)
    local said = "line " .. index .. ": "
    if line ~= "" then
      if not rest:match("^[ \t\r]") and rest ~= "" then
        return said .. "a blank is missing behind " .. MARK
      end
      if rest:gsub("[\t\r]", ""):find("%c") or rest:find("\0", 1, true) then
        return said .. "a control character; allowed: text"
      end
      local all, unclosed = words(rest)
      if not all then return said .. unclosed end
      for _, word in ipairs(all) do
        local wrong = wrong_word(word)
        if wrong then return said .. word:sub(1, 80) .. ": " .. wrong end
        count = count + 1
        if count > MOST_WORDS then return said .. "more than " .. MOST_WORDS .. " patterns; put what belongs together into a folder" end
      end
    end
  end
  return nil
end

local function sleep(seconds)
  os.execute(string.format("sleep %.1f", seconds))
end

-- The sentence of an answer, which is JSON of the head's own making.
local function message(answer)
  local from = select(2, answer:find('"message"%s*:%s*"'))
  if not from then return "" end
  local text, at = {}, from + 1
  while at <= #answer do
    local next = answer:sub(at, at)
    if next == '"' then break end
    if next == "\\" then
      at = at + 1
      next = answer:sub(at, at)
      if next == "u" then
        at = at + 4
        next = "?"
      elseif next:match("[bfnrt]") then
        next = " "
      end
    end
    text[#text + 1] = next
    at = at + 1
  end
  return table.concat(text)
end

-- Asks the head, for at most 2 seconds unless others are named. Returns the HTTP status, 0 when it is away, and its sentence.
local function ask(path, lines, seconds)
  local command = CURL .. " --disable --silent --noproxy '*' --max-time " .. (seconds or 2) .. " --unix-socket '" .. SOCKET
    .. "' --write-out '\\n%{http_code}' "
  local file
  if lines then
    file = os.tmpname()
    if not is_plain_path(file) then return 0, "" end
    local out = io.open(file, "wb")
    if not out then return 0, "" end
    out:write(table.concat(lines, "\n"), "\n")
    out:close()
    command = command .. "--header 'Content-Type: text/plain' --header Expect: --data-binary @" .. file .. " "
  elseif path ~= "health" then
    command = command .. "--data-binary '' "
  end
  local pipe = io.popen(command .. "http://spillway/api/v1/" .. path .. " 2>/dev/null", "r")
  local answer = pipe and pipe:read("*a") or ""
  if pipe then pipe:close() end
  if file then os.remove(file) end
  return tonumber(answer:match("\n(%d%d%d)$") or "0") or 0, message(answer)
end

-- Whether the job is in a partition of ours, as far as Slurm says so: asked once, and only when there is something to wait for.
local function may_be_ours(job)
  local pipe = io.popen(SQUEUE .. " -h -a -j " .. job .. " -o %P 2>/dev/null", "r")
  local answer = pipe and pipe:read("*a") or ""
  if pipe then pipe:close() end
  for name in answer:gmatch("[^,%s]+") do
    if PARTITIONS[name] then return true end
  end
  return not answer:match("%S")
end

-- Until the head says that the step is done, or that it will not be. Nothing is lost while the head is away.
local function until_done(job, step, lines)
  local begun, looked = os.time(), false
  while true do
    local status, said = ask("slurm/jobs/" .. job .. "/" .. step, lines)
    if status == 200 then return slurm.SUCCESS end
    if FINAL[status] then return slurm.ERROR, said end
    -- Lines mean nothing in a partition of the site's: its jobs wait for nobody, whether a head answers or not.
    if not looked then
      if not may_be_ours(job) then return slurm.SUCCESS end
      looked = true
    end
    -- At first often; in the end a tenth of what it took already.
    sleep(math.min(LONGEST_WAIT_SECONDS, math.max(0.5, (os.time() - begun) / 10)))
  end
end

function slurm_bb_job_process(job_script)
  local lines, why = top(job_script)
  if not lines then return slurm.ERROR, why end
  local wrong = mistake(lines)
  if wrong then return slurm.ERROR, wrong end
  return slurm.SUCCESS
end

function slurm_bb_setup() return slurm.SUCCESS end

function slurm_bb_data_in(job_id, job_script)
  local job = number(job_id)
  if not job then return slurm.ERROR, "Slurm named a job that is no number" end
  if not is_plain_path(job_script) then return slurm.ERROR, "Slurm keeps the script at a path with unusual characters" end
  local lines, why = top(job_script)
  if not lines then return slurm.ERROR, why end
  return until_done(job, "data-in", lines)
end

-- 24.05 and later ask these until they are not busy; here the call before has waited.
function slurm_bb_test_data_in() return slurm.SUCCESS end
function slurm_bb_test_data_out() return slurm.SUCCESS end

function slurm_bb_data_out(job_id)
  local job = number(job_id)
  if not job then return slurm.ERROR, "Slurm named a job that is no number" end
  return until_done(job, "data-out")
end

-- Also called for jobs that will run again: the head looks which. It finds out by itself if it is not told.
function slurm_bb_job_teardown(job_id)
  local job = number(job_id)
  local begun = os.time()
  while job and os.time() - begun < TEARDOWN_SECONDS do
    local status, said = ask("slurm/jobs/" .. job .. "/teardown")
    if status == 200 then break end
    if FINAL[status] then
      slurm.log_error("spillway: teardown of job %s: %s", job, said)
      break
    end
    if status == 0 and not may_be_ours(job) then break end
    sleep(0.5)
  end
  return slurm.SUCCESS
end

-- Whether Slurm certainly has taken the job off the nodes that it was given: only what it says of its state counts.
local function has_left(job)
  local pipe = io.popen(SQUEUE .. " -h -a -j " .. job .. " -o '%A %t' 2>/dev/null", "r")
  local answer = pipe and pipe:read("*a") or ""
  if pipe then pipe:close() end
  local state = ("\n" .. answer):match("\n" .. job .. " (%u+)")
  return state ~= nil and state ~= "CF" and state ~= "R"
end

-- The job has its nodes, and nothing is asked of them yet. Until they are ready for it, its input included: then its Prolog
-- passes at once. Whoever cannot wait here waits there. Of a run that was broken off Slurm (22.05, 24.11) would take success
-- for the next one's, and never begin that; failure has it cleaned up.
function slurm_bb_pre_run(job_id)
  local job = number(job_id)
  local begun = os.time()
  if not job or not may_be_ours(job) then return slurm.SUCCESS end
  while os.time() - begun < NODES_SECONDS do
    local asked = os.time()
    local status = ask("slurm/jobs/" .. job .. "/pre-run", nil, NODES_ANSWER_SECONDS)
    if status == 200 or FINAL[status] then break end
    if has_left(job) then return slurm.ERROR, "this run has ended before it began" end
    -- A head that is there answers late.
    if os.time() - asked < 2 then sleep(math.min(LONGEST_WAIT_SECONDS, math.max(0.5, (os.time() - begun) / 10))) end
  end
  return slurm.SUCCESS
end

function slurm_bb_post_run() return slurm.SUCCESS end
function slurm_bb_real_size() return slurm.SUCCESS end
function slurm_bb_paths() return slurm.SUCCESS end
function slurm_bb_pools() return slurm.SUCCESS end

-- 'scontrol show bbstat': whatever stands behind it is not looked at.
function slurm_bb_get_status()
  local status = ask("health")
  if status == 200 then return slurm.SUCCESS, "spillway: the head answers at " .. SOCKET .. "\n" end
  return slurm.SUCCESS, "spillway: no head answers at " .. SOCKET .. "; jobs wait for it\n"
end
