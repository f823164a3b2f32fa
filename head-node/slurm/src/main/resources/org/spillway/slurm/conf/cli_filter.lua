-- cli_filter.lua: a look at a script before sbatch submits it, in the user's own process; written by 'spillway slurm config'.
-- For Slurm 22.05 to 26.05, Lua 5.1 and later. Where no head answers within 2 s the script is submitted, and judged at stage-in.
--
-- No option and no line of the script gets into a command: they are handed on in a file.

local SOCKET = "@SOCKET@"
local CURL = "@CURL@"
local RESERVATION = "@RESERVATION@"
local PARTITIONS = { @PARTITIONS@ }
local SHARED = { @SHARED@ }
local MARK = "#SPILLWAY"
local MOST_BYTES = 65536

local function command_name()
  local file = io.open("/proc/self/comm", "r")
  local name = file and file:read("*l") or ""
  if file then file:close() end
  return name
end

-- The script down to its first command, with our lines only, in their places; nil when it has none. The second value is what is
-- wrong already: Slurm itself stops at the first line that is not empty and has no # at its very beginning.
local function top(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local kept, bytes, ours, ended, late = {}, 0, false, nil, nil
  for line in file:lines() do
    if line:sub(1, #MARK) == MARK then
      kept[#kept + 1] = line
      ours = true
      if ended and not late then late = "line " .. #kept .. ": Slurm stops reading at line " .. ended .. ", which has a blank at its beginning; remove it" end
    elseif line:match("^%s*$") or line:match("^%s*#") then
      kept[#kept + 1] = ""
      if line:match("^%s") then ended = ended or #kept end
    else
      break
    end
    bytes = bytes + #kept[#kept] + 1
    if bytes > MOST_BYTES then break end
  end
  file:close()
  if not ours then return nil end
  return table.concat(kept, "\n") .. "\n", late
end

local function json(text)
  return '"' .. text:gsub('[%c"\\]', function(char) return string.format("\\u%04x", char:byte()) end) .. '"'
end

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

-- Returns the HTTP status, 0 when the head is away, and its sentence.
local function check(lines, folder, partitions)
  local file = os.tmpname()
  if not file:match("^/[%w%./_-]+$") then return 0, "" end
  local out = io.open(file, "wb")
  if not out then return 0, "" end
  out:write('{"lines":', json(lines), ',"folder":', json(folder), ',"partitions":', json(partitions), "}")
  out:close()
  local pipe = io.popen(CURL .. " --disable --silent --noproxy '*' --max-time 2 --unix-socket '" .. SOCKET
    .. "' --write-out '\\n%{http_code}' --header 'Content-Type: application/json' --header Expect: --data-binary @" .. file
    .. " http://spillway/api/v1/slurm/check 2>/dev/null", "r")
  local answer = pipe and pipe:read("*a") or ""
  if pipe then pipe:close() end
  os.remove(file)
  return tonumber(answer:match("\n(%d%d%d)$") or "0") or 0, message(answer)
end

local function is_cloud(partitions)
  for name in (partitions or ""):gmatch("[^,%s]+") do
    if PARTITIONS[name] then return true end
  end
  return false
end

-- Whether jobs find their user's home in all of these partitions, wherever they run.
local function reaches(partitions)
  local all = (partitions or "") ~= ""
  for name in (partitions or ""):gmatch("[^,%s]+") do all = all and PARTITIONS[name] == "reach" end
  return all
end

-- Parts of a heterogeneous job are looked at one after the other, in one process.
local part_in_cloud = false

-- A job that the head would hold or end is refused here, as far as the partition is named.
local function refused(options, offset)
  local cloud = is_cloud(options["partition"])
  part_in_cloud = part_in_cloud or cloud
  if (tonumber(offset) or 0) > 0 and part_in_cloud then
    return "heterogeneous jobs are not run on cloud partitions: submit the parts as jobs of their own"
  end
  return nil
end

-- Whether it is the same file on cloud nodes as at home.
local function is_shared(path)
  for _, folder in ipairs(SHARED) do
    if path == folder or path:sub(1, #folder + 1) == folder .. "/" then return not path:find("/%.%./") end
  end
  return false
end

-- Whether this sbatch tells slurmctld's copy of the job's environment how it opens its output, as nothing else does.
local function says_open_mode()
  local file = io.open("/proc/self/exe", "rb")
  local program = file and file:read("*a") or ""
  if file then file:close() end
  return program:find("SLURM_OPEN_MODE", 1, true) ~= nil
end

-- In a text of the job's that is for such words, where its user has said nothing there. Whether it is said.
local function say_open_mode(options, mode)
  if (options["extra"] or "") ~= "" then return false end
  options["extra"] = "spillway-open-mode:" .. mode
  return options["extra"] == "spillway-open-mode:" .. mode
end

-- Whether it lies below the home of who submits.
local function is_below_home(path)
  local own = (os.getenv("HOME") or "/"):gsub("/*$", "") .. "/"
  return own ~= "/" and path:sub(1, #own) == own and not path:find("/%.%./")
end

-- A stream that would stay on the node, or take the place of what it is to be added to.
local function lost_stream(options)
  if not is_cloud(options["partition"]) then return nil end
  local folder = options["chdir"]
  local appends = options["open-mode"] == "a" or options["open-mode"] == "append"
  for _, name in ipairs({ "output", "error" }) do
    local file = options[name]
    if type(file) == "string" and file:sub(1, 1) == "/" and not file:match("^/dev/null$") and type(folder) == "string"
        and file:sub(1, #folder + 1) ~= folder:gsub("/*$", "") .. "/" and not (is_shared(folder) and is_shared(file)) and (appends or not is_below_home(file)) then
      return "--" .. name .. "=" .. file .. " is not below the folder where the job works, " .. folder
        .. (appends and ", where alone it is added to" or ", nor below your home, and would stay on the node") .. ": name a file below it, or another folder with --chdir"
    end
  end
  if appends and not (type(folder) == "string" and is_shared(folder)) and not says_open_mode() and not say_open_mode(options, "append") then
    return "--open-mode=append is not kept on cloud partitions beside --extra with this release of Slurm, which tells it to nobody: the file at home would be replaced; submit without --extra, or name a file of its own, such as --output=slurm-%j.out"
  end
  if (options["open-mode"] == "t" or options["open-mode"] == "truncate") and not says_open_mode() then say_open_mode(options, "truncate") end
  return nil
end

-- A file for standard input is opened on the node, where only lines of the script bring it.
local function absent_input(options, script)
  local file = options["input"]
  if not is_cloud(options["partition"]) or type(file) ~= "string" or file == "" or file == "none" or file:match("^/dev/") then return nil end
  local folder = type(options["chdir"]) == "string" and options["chdir"]:gsub("/*$", "") .. "/" or "/"
  local path = file:sub(1, 1) == "/" and file or folder .. file
  if is_shared(path) or (reaches(options["partition"]) and is_below_home(path)) then return nil end
  local name = (file:sub(1, #folder) == folder and file:sub(#folder + 1) or file):gsub("^%./", "")
  if name:sub(1, 1) == "/" then
    return "--input=" .. file .. " is not below the folder where the job works, " .. folder .. ", and is not on the node: copy it there, or read it in the script"
  end
  for word in (script and top(script) or ""):gmatch("%f[%w]in='?([^%s']+)") do
    if word:gsub("^%./", "") == name or word:match("^/.*/([^/]+)$") == name or word:find("[*?%[]") then return nil end
  end
  return "--input=" .. file .. " is opened on the node, where it is not: add the line '#SPILLWAY in=" .. name .. "' below the #SBATCH lines"
end

-- Paths that a plain script names and that are not on a cloud node unless a line brings them, below home (reached) or elsewhere;
-- nil for none. Only told: a program's own path is one, too.
local function absent_paths(path, reached)
  local file = io.open(path, "rb")
  if not file then return nil end
  local found, bytes = nil, 0
  for line in file:lines() do
    bytes = bytes + #line
    if bytes > MOST_BYTES then break end
    if line:sub(1, 1) ~= "#" then
      for _, pattern in ipairs({ "~/[%w%._/-]+", "%$HOME[%w%._/-]*", "%${HOME}[%w%._/-]*", "[%s=\"'>](/home/[%w%._/-]+)", "[%s=\"'>](/scratch/[%w%._/-]+)", "[%s=\"'>](/data/[%w%._/-]+)" }) do
        local named = line:match(pattern)
        local home = (os.getenv("HOME") or "/"):gsub("%%", "%%%%")
        local path = named and named:gsub("^~", home):gsub("^%$HOME", home):gsub("^%${HOME}", home)
        local own = (os.getenv("HOME") or "") .. "/"
        if named and not is_shared(path) and reached == ((path .. "/"):sub(1, #own) == own) then found = found or named end
      end
    end
  end
  file:close()
  return found
end

function slurm_cli_setup_defaults(options, early) return slurm.SUCCESS end

function slurm_cli_pre_submit(options, offset)
  for name in (options["reservation"] or ""):gmatch("[^,%s]+") do
    if name:lower() == RESERVATION then
      slurm.log_error("the reservation %s is Spillway's own: it holds nodes that are not there yet; submit without it", RESERVATION)
      return slurm.ERROR
    end
  end
  local why = refused(options, offset)
  if why then
    slurm.log_error("spillway: %s", why)
    return slurm.ERROR
  end
  if command_name() ~= "sbatch" then return slurm.SUCCESS end
  local lost = lost_stream(options)
  if lost then
    slurm.log_error("spillway: %s", lost)
    return slurm.ERROR
  end
  local script = (options["argv"] or {})[1]
  local input = absent_input(options, script)
  if input then
    slurm.log_error("spillway: %s", input)
    return slurm.ERROR
  end
  if not script then return slurm.SUCCESS end
  local within = reaches(options["partition"])
  local read = within and absent_paths(script, true)
  if read then
    slurm.log_info("spillway: the script names %s: a cloud node reads it from home over the link, #SPILLWAY in= is faster; what it writes there comes home where #SPILLWAY out= names it@BELOW_HOME@", read)
  end
  local absent = is_cloud(options["partition"]) and (absent_paths(script, false) or not within and absent_paths(script, true))
  if absent then
    slurm.log_info("spillway: the script names %s: a cloud node has nothing of that but what #SPILLWAY in= brings, and what it writes there comes home where #SPILLWAY out= names it@BELOW_HOME@", absent)
  end
  local lines, late = top(script)
  if late then
    slurm.log_error("spillway: %s", late)
    return slurm.ERROR
  end
  local folder = options["chdir"]
  if not lines or not folder then return slurm.SUCCESS end
  -- Files that other jobs make before it starts need not be there yet: looked at when it is staged.
  if (options["dependency"] or "") ~= "" then return slurm.SUCCESS end
  local status, said = check(lines, folder, options["partition"] or "")
  if status == 400 or status == 403 or status == 413 then
    slurm.log_error("spillway: %s", said)
    return slurm.ERROR
  end
  return slurm.SUCCESS
end

function slurm_cli_post_submit(offset, job_id, step_id) return slurm.SUCCESS end
