-- What sysbench's own report leaves out: runs the test that MEASURED_TEST names, and
-- counts, for each thread, into its part of the file MEASURED_FILE, which is there
-- already and holds zeros: so that it can be read whatever becomes of sysbench. The
-- first MEASURED_WARMUP seconds are no part of it, nor of the throughput what ends after
-- MEASURED_SECONDS more. A transaction begins with its first try; one that has lost when
-- the time is over is not tried again. measured.go has the same layout.
local ffi = require("ffi")
ffi.cdef [[
typedef struct { long s, ns; } measured_time;
typedef struct {
  int64_t commits, lost, unknown, longest, most; // within the time; microseconds; tries
  int64_t begun, tries;                          // of what is under way; 0: nothing
  uint32_t latencies[2100];                      // of commits, in buckets one per cent wide
} measured_thread;
int clock_gettime(int, measured_time *);
int open(const char *, int, ...);
void *mmap(void *, size_t, int, int, int, long);
]]
require(os.getenv("MEASURED_TEST"))

local clock = ffi.new("measured_time")
local function now() -- microseconds
  ffi.C.clock_gettime(1, clock) -- CLOCK_MONOTONIC
  return tonumber(clock.s) * 1e6 + tonumber(clock.ns) / 1e3
end

local warm = tonumber(os.getenv("MEASURED_WARMUP")) * 1e6
local over = warm + tonumber(os.getenv("MEASURED_SECONDS")) * 1e6
local width = math.log(1.01)
local base, begun, tries = nil, 0, 0
local mine

local function map() -- this thread's part of the file
  local file = ffi.C.open(os.getenv("MEASURED_FILE"), 2) -- O_RDWR
  assert(file >= 0, "MEASURED_FILE cannot be opened")
  local size = ffi.sizeof("measured_thread") * sysbench.opt.threads
  local all = ffi.C.mmap(nil, size, 3, 1, file, 0) -- PROT_READ | PROT_WRITE, MAP_SHARED
  assert(ffi.cast("intptr_t", all) ~= -1, "MEASURED_FILE cannot be mapped")
  return ffi.cast("measured_thread *", all) + sysbench.tid % sysbench.opt.threads
end

local function finish(at) -- a transaction, whatever became of it
  if at - base >= warm then
    mine.longest = math.max(tonumber(mine.longest), at - begun)
    mine.most = math.max(tonumber(mine.most), tries)
  end
  tries, mine.begun, mine.tries = 0, 0, 0
end

local test = event
function event(id)
  local at = now()
  mine, base = mine or map(), base or at
  if tries == 0 then
    begun, mine.begun = at, at
  elseif at - base > over then
    return finish(at)
  end
  tries = tries + 1
  mine.tries = tries
  test(id)
  at = now()
  if at - base >= warm then
    if at - base <= over then mine.commits = mine.commits + 1 end
    local b = math.min(2099, math.floor(math.log(at - begun + 1) / width))
    mine.latencies[b] = mine.latencies[b] + 1
  end
  finish(at)
end

local restart = sysbench.hooks.before_restart_event
sysbench.hooks.before_restart_event = function(e)
  if now() - base >= warm then
    if e.sql_errno == 1180 then mine.unknown = mine.unknown + 1 else mine.lost = mine.lost + 1 end
  end
  if restart then restart(e) end
end
