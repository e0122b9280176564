-- A transaction on a hot account, for sysbench: it locks the account's row, changes
-- it, and enters the change into a ledger.
--
--   sysbench bench/hotrow/ledger.lua --mysql-db=sbtest --table-size=1 prepare
--   sysbench bench/hotrow/ledger.lua --mysql-db=sbtest --table-size=1 --threads=64 run
--   sysbench bench/hotrow/ledger.lua --mysql-db=sbtest check
--
-- check fails unless every account holds the sum of its entries.

sysbench.cmdline.options = {
   table_size = {"accounts; one is a hot row", 1},
   tables = {"not used; others' option", 1},
}

local function connect()
   return sysbench.sql.driver():connect()
end

local function fill(con)
   con:query("CREATE TABLE account (id INT NOT NULL PRIMARY KEY, balance BIGINT NOT NULL)")
   con:query("CREATE TABLE ledger (client INT NOT NULL, entry BIGINT NOT NULL, account INT NOT NULL, amount BIGINT NOT NULL, PRIMARY KEY (client, entry))")
   for id = 1, sysbench.opt.table_size do
      con:query(string.format("INSERT INTO account VALUES (%d, 0)", id))
   end
end

local function check(con)
   local wrong = con:query_row([[SELECT COUNT(*) FROM account a
      LEFT JOIN (SELECT account, SUM(amount) AS total FROM ledger GROUP BY account) l ON l.account = a.id
      WHERE a.balance <> COALESCE(l.total, 0)]])
   local entries, accounts = con:query_row("SELECT COUNT(*) FROM ledger"), con:query_row("SELECT COUNT(*) FROM account")
   print(string.format("%s entries, %s accounts, %s of them do not hold the sum of their entries", entries, accounts, wrong))
   if tonumber(wrong) ~= 0 then os.exit(1) end
end

sysbench.cmdline.commands = {
   prepare = {function() fill(connect()) end},
   check = {function() check(connect()) end},
}

local con, number, base, entry
local begin, commit, lock, change, enter
local account, amount, where, client, at, what, much

function thread_init()
   con, number, entry = connect(), sysbench.tid, 0
   -- Entries of one run do not meet those of an earlier one. Lua counts in floating
   -- point: this stays below 2^53.
   base = os.time() * 1000000
   local int = sysbench.sql.type.INT
   local big = sysbench.sql.type.BIGINT
   begin, commit = con:prepare("BEGIN"), con:prepare("COMMIT")
   lock = con:prepare("SELECT balance FROM account WHERE id = ? FOR UPDATE")
   account = lock:bind_create(int)
   lock:bind_param(account)
   change = con:prepare("UPDATE account SET balance = balance + ? WHERE id = ?")
   amount, where = change:bind_create(big), change:bind_create(int)
   change:bind_param(amount, where)
   enter = con:prepare("INSERT INTO ledger VALUES (?, ?, ?, ?)")
   client, at, what, much = enter:bind_create(int), enter:bind_create(big), enter:bind_create(int), enter:bind_create(big)
   enter:bind_param(client, at, what, much)
end

function thread_done()
   for _, s in ipairs({begin, commit, lock, change, enter}) do s:close() end
   con:disconnect()
end

function event()
   local id, by = sysbench.rand.uniform(1, sysbench.opt.table_size), sysbench.rand.uniform(1, 100)
   entry = entry + 1
   begin:execute()
   account:set(id)
   lock:execute()
   amount:set(by); where:set(id)
   change:execute()
   client:set(number); at:set(base + entry); what:set(id); much:set(by)
   enter:execute()
   commit:execute()
end
