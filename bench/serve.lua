-- wrk's questions for scripts/bench-serve and tests/serve: different boxes over both stops of a release of two, drawn once, whole
-- cells of every axis. Each of wrk's threads begins at another one. Prints a line that a script can read.
--
--   wrk ... -s bench/serve.lua URL -- QUESTIONS CELLS PAUSE RELEASE ...     20000 questions on 1000 cells; milliseconds
--                                                                           between two questions; releases asked at random
local questions, at = {}, 0
local threads = {}

function setup(thread)
  thread:set("offset", #threads * 7919)
  table.insert(threads, thread)
end

local function interval(cells)
  local a, b = math.random(0, cells - 1), math.random(0, cells - 1)
  if a > b then a, b = b, a end
  return string.format("[%d,%d]", a, b + 1)
end

function init(args)
  local count, cells = tonumber(args[1] or 20000), tonumber(args[2] or 1000)
  math.randomseed(7)
  for i = 1, count do
    local release = #args > 3 and "?release=" .. args[math.random(4, #args)] or ""
    local body = string.format('{"where":{"origin":{"box":[%s,%s]},"destination":{"box":[%s,%s]}}}', interval(cells), interval(cells),
      interval(cells), interval(cells))
    questions[i] = wrk.format("POST", "/api/query" .. release, { ["Content-Type"] = "application/json" }, body)
  end
  at = offset % count
  local pause = tonumber(args[3] or 0)
  if pause > 0 then
    -- Whole milliseconds that come out right on the average.
    function delay() return math.floor(pause * (0.5 + math.random()) + math.random()) end
  end
end

function request()
  at = at % #questions + 1
  return questions[at]
end

function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format("serve: %.0f answers/s, p50 %.2f ms, p99 %.2f ms, p99.9 %.2f ms, %d answers, %d not 2xx, %d connections lost\n",
    summary.requests / (summary.duration / 1e6), latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    latency:percentile(99.9) / 1000, summary.requests, e.status, e.connect + e.read + e.write + e.timeout))
end
