/// The scripts of a store in Redis, and where they keep what.
///
/// All keys begin with `vms:`, so that a user of Redis can be allowed `~vms:*` and nothing else. Those of a scene have its
/// root's key in braces, so that a cluster would keep them together:
///
/// | key | type | content |
/// |---|---|---|
/// | `vms:{ROOT}` | hash | the scene: `owner`, `once`, `used`, `count` (sessions ever), `session:KEY` (its place: 1, 2, …), `shared:NAME` |
/// | `vms:{ROOT}:session:PLACE` | hash | the session's header and newest turn, `client:NAME`, `saved:NAME`, `key:KEY` (the number of the event that has this key) |
/// | `vms:{ROOT}:log:PLACE` | sorted set | the log: members that begin with their number (19 digits), all with score 0, so that their bytes order them |
/// | `vms:session:KEY` | string | the root's key of a session that isn't a root |
/// | `vms:once:SECRET` | string | the root's key of an opening |
/// | `vms:used` | sorted set | the roots' keys by the time of their last use; scenes have no expiry of Redis', which would take parts of one away in use |
/// | `vms:store` | hash | `format`; `owner`: the number of the server that has the store (the fencing token), which only rises; `commit`: the number of its newest commit |
/// | `vms:lease` | string | which server that is, until it renews the lease no more |
///
/// A script of Redis runs alone, and isn't undone when it fails. So `commit` looks at everything before it writes: after its
/// first write nothing can fail. Redis itself refuses a script's first write, and no later one, where it is out of memory, a
/// replica, or can't write to its disk.
///
/// Each call carries the token, and does nothing when another server has a higher one. A commit also has a number: sent again
/// because its answer was lost, it is done once; and a store that knows less than was acknowledged is noticed.
///
/// A commit of several scenes is one call, stored whole or not at all. That holds on one Redis. In a cluster, and with a lease
/// for each scene, it would be one call for each scene, sent together, with the token and the number of the commit in
/// `vms:{ROOT}` in place of `vms:store` (`KEYS[1]`): all or nothing holds for a scene, and more isn't needed, since a turn
/// changes one scene. `vms:session:`, `vms:once:` and `vms:used` would be indexes, written after it.
struct RedisScript {
    let name: String
    let text: String

    static let all = [take, own, release, commit, read, opening, sweep]

    private init(_ name: String, _ text: String) {
        (self.name, self.text) = (name, text)
    }

    /// Before calls of a server that has the store. `ARGV[1]`: its token; empty for one that only reads.
    private static let fence = """
        local stored = redis.call('HMGET', KEYS[1], 'owner', 'commit')
        if ARGV[1] ~= '' and stored[1] ~= ARGV[1] then
            if stored[1] and tonumber(stored[1]) > tonumber(ARGV[1]) then return {'owner'} end
            return {'lost'}
        end

        """

    private static let names = """
        local function sceneKey(root) return 'vms:{' .. root .. '}' end
        local function sessionKey(root, place) return sceneKey(root) .. ':session:' .. place end
        local function logKey(root, place) return sceneKey(root) .. ':log:' .. place end

        -- The root of the scene that has a session; false where there is none.
        local function rootOf(key)
            -- Not EXISTS: fails where another program has put something else there.
            if redis.call('HLEN', sceneKey(key)) > 0 then return key end
            return redis.call('GET', 'vms:session:' .. key)
        end

        """

    private static let removal = """
        local function removeSession(root, key, place)
            redis.call('UNLINK', sessionKey(root, place), logKey(root, place))
            if key ~= root then redis.call('DEL', 'vms:session:' .. key) end
        end

        local function removeScene(root)
            local scene = redis.call('HGETALL', sceneKey(root))
            for i = 1, #scene, 2 do
                if string.sub(scene[i], 1, 8) == 'session:' then
                    removeSession(root, string.sub(scene[i], 9), scene[i + 1])
                elseif scene[i] == 'once' then
                    redis.call('DEL', 'vms:once:' .. scene[i + 1])
                end
            end
            redis.call('ZREM', 'vms:used', root)
            redis.call('UNLINK', sceneKey(root))
        end

        """

    /// Makes a server the owner. `ARGV`: its lease, the lease's milliseconds, `1` to take over, a lease that is over.
    static let take = RedisScript(
        "take",
        """
        local format = redis.call('HGET', KEYS[1], 'format')
        if format and format ~= '1' then return {'format', format} end
        local lease = redis.call('GET', KEYS[2])
        if lease and ARGV[3] ~= '1' and lease ~= ARGV[4] then
            return {'held', lease, redis.call('PTTL', KEYS[2])}
        end
        -- By the time, so that it has risen also where Redis has lost what it had.
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        local owner = string.format('%.0f', math.max(now, (redis.call('HGET', KEYS[1], 'owner') or 0) + 1))
        redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
        redis.call('HSET', KEYS[1], 'format', 1, 'commit', 0, 'owner', owner)
        return {'ok', owner}
        """)

    /// Checks that a server has the store, and renews its lease. `ARGV`: token, lease, the lease's milliseconds.
    static let own = RedisScript(
        "own",
        fence + """
            redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
            return {'ok'}
            """)

    /// Gives a lease up. `ARGV`: token (unused), lease.
    static let release = RedisScript(
        "release",
        """
        if redis.call('GET', KEYS[2]) == ARGV[2] then redis.call('DEL', KEYS[2]) end
        return {'ok'}
        """)

    /// `ARGV`: token, the key of a session.
    static let read = RedisScript(
        "read",
        fence + names + """
            local root = rootOf(ARGV[2])
            if not root or redis.call('HEXISTS', sceneKey(root), 'session:' .. ARGV[2]) == 0 then return {'ok'} end
            local scene, sessions = redis.call('HGETALL', sceneKey(root)), {}
            for i = 1, #scene, 2 do
                if string.sub(scene[i], 1, 8) == 'session:' then
                    local place = scene[i + 1]
                    local fields = redis.call('HGETALL', sessionKey(root, place))
                    local log = redis.call('ZRANGEBYLEX', logKey(root, place), '-', '+')
                    sessions[#sessions + 1] = {place, fields, log}
                end
            end
            return {'ok', root, scene, sessions}
            """)

    /// `ARGV`: token, the secret of an opening.
    static let opening = RedisScript(
        "opening",
        fence + """
            return {'ok', redis.call('GET', 'vms:once:' .. ARGV[2])}
            """)

    /// `ARGV`: token, a time, how many scenes at most.
    static let sweep = RedisScript(
        "sweep",
        fence + names + removal + """
            local roots = redis.call('ZRANGEBYSCORE', 'vms:used', '-inf', '(' .. ARGV[2], 'LIMIT', 0, ARGV[3])
            for _, root in ipairs(roots) do removeScene(root) end
            return {'ok', #roots}
            """)
}

extension RedisScript {
    /// `ARGV`: token, the commit's number, the newest that was acknowledged, and the changes as `RedisChanges` writes them.
    static let commit = RedisScript("commit", fence + numbering + names + removal + checks + changes + run)

    private static let numbering = """
        local newestCommit = tonumber(stored[2] or 0)
        if newestCommit == tonumber(ARGV[2]) then return {'ok'} end
        -- Sent before the newest, on a connection that was given up.
        if newestCommit > tonumber(ARGV[2]) then return {'late'} end
        if newestCommit < tonumber(ARGV[3]) then return {'lost'} end

        local at = 3
        local function take()
            at = at + 1
            return ARGV[at]
        end
        local function skip(count) at = at + count end

        """

    /// Read the changes, and throw where one can't be stored. What earlier changes of the commit will have done is in tables.
    private static let checks = """
        local check, isScene, isSession, isOnce, newest = {}, {}, {}, {}, {}
        local function refuse(reason) error({reason}) end
        local function hasScene(root)
            if isScene[root] == nil then isScene[root] = redis.call('HLEN', sceneKey(root)) > 0 end
            return isScene[root]
        end
        -- The number of its newest event; false where there is no such session.
        local function newestOf(key)
            if newest[key] ~= nil then return newest[key] end
            local root = rootOf(key)
            local place = root and redis.call('HGET', sceneKey(root), 'session:' .. key)
            newest[key] = place and redis.call('HGET', sessionKey(root, place), 'newest')
            if place then redis.call('ZCARD', logKey(root, place)) end
            return newest[key]
        end

        function check.scene()
            local root, _, _, hasOnce, once = take(), take(), take(), take(), take()
            if hasScene(root) then refuse('a scene of this key is stored') end
            isScene[root] = true
            if hasOnce == '1' then
                if isOnce[once] or redis.call('EXISTS', 'vms:once:' .. once) == 1 then
                    refuse('an opening of this secret is stored')
                end
                isOnce[once] = true
            end
        end
        function check.session()
            local root, key = take(), take()
            skip(5)
            if not hasScene(root) then refuse('the scene of a session is not stored') end
            if newestOf(key) then refuse('a session of this key is stored') end
            newest[key] = string.rep('0', 19)
        end
        function check.turn()
            local key, last = take(), take()
            local before = newestOf(key)
            skip(4)
            if before and last < before then refuse('the numbers of a session go back') end
            for _ = 1, tonumber(take()) do
                local number = take()
                skip(3)
                if before and (number <= before or number > last) then refuse('an event has a number of another') end
                before = before and number
            end
            skip(2 * tonumber(take()))
            skip(2 * tonumber(take()))
            newest[key] = newest[key] and last
        end
        function check.remove()
            local key = take()
            local root = rootOf(key)
            if root then redis.call('HLEN', sceneKey(root)) end
            isScene[key], newest[key] = false, false
        end
        function check.use()
            hasScene(take())
            skip(1)
        end
        function check.share()
            if not hasScene(take()) then refuse('the scene of shared values is not stored') end
            skip(2 * tonumber(take()))
        end

        """

    private static let changes = """
        local change = {}
        function change.scene()
            local root, owner, used, hasOnce, once = take(), take(), take(), take(), take()
            redis.call('HSET', sceneKey(root), 'owner', owner, 'used', used)
            redis.call('ZADD', 'vms:used', used, root)
            if hasOnce == '1' then
                redis.call('HSET', sceneKey(root), 'once', once)
                redis.call('SET', 'vms:once:' .. once, root)
            end
        end
        function change.session()
            local root, key, viewModel, hasArguments, arguments, shownBy, isDurable =
                take(), take(), take(), take(), take(), take(), take()
            local place = redis.call('HINCRBY', sceneKey(root), 'count', 1)
            redis.call('HSET', sceneKey(root), 'session:' .. key, place)
            if key ~= root then redis.call('SET', 'vms:session:' .. key, root) end
            local zero = string.rep('0', 19)
            redis.call('HSET', sessionKey(root, place), 'key', key, 'viewModel', viewModel, 'shownBy', shownBy,
                'isDurable', isDurable, 'newest', zero, 'lost', zero, 'hasAllEvents', 1, 'isStarted', 0, 'version', 0)
            if hasArguments == '1' then redis.call('HSET', sessionKey(root, place), 'arguments', arguments) end
        end

        local function addEntry(session, log, number, hasKey, key, member)
            if hasKey == '1' then
                local before = redis.call('HGET', session, 'key:' .. key)
                if before then redis.call('ZREMRANGEBYLEX', log, '[' .. before, '(' .. before .. '~') end
                redis.call('HSET', session, 'key:' .. key, number)
            end
            redis.call('ZADD', log, 0, member)
        end
        local function removeEntries(session, log, lost)
            local range = '(' .. lost .. '~'
            for _, member in ipairs(redis.call('ZRANGEBYLEX', log, '-', range)) do
                local length = string.match(string.sub(member, 21, 40), '^(%d+):')
                if length then
                    local start = 22 + #length
                    redis.call('HDEL', session, 'key:' .. string.sub(member, start, start + tonumber(length) - 1))
                end
            end
            redis.call('ZREMRANGEBYLEX', log, '-', range)
        end
        function change.turn()
            local key, last, lost, hasAllEvents, isStarted, version = take(), take(), take(), take(), take(), take()
            local root = rootOf(key)
            local place = root and redis.call('HGET', sceneKey(root), 'session:' .. key)
            local session, log = place and sessionKey(root, place), place and logKey(root, place)
            -- Without a place it has ended.
            if place then
                redis.call('HSET', session, 'newest', last, 'lost', lost, 'hasAllEvents', hasAllEvents,
                    'isStarted', isStarted, 'version', version)
            end
            for _ = 1, tonumber(take()) do
                local number, hasKey, key, member = take(), take(), take(), take()
                if place then addEntry(session, log, number, hasKey, key, member) end
            end
            if place then removeEntries(session, log, lost) end
            for _, prefix in ipairs({'client:', 'saved:'}) do
                for _ = 1, tonumber(take()) do
                    local name, value = take(), take()
                    if place then redis.call('HSET', session, prefix .. name, value) end
                end
            end
        end

        function change.remove()
            local key = take()
            local root = rootOf(key)
            if root == key then return removeScene(key) end
            local place = root and redis.call('HGET', sceneKey(root), 'session:' .. key)
            if place then
                redis.call('HDEL', sceneKey(root), 'session:' .. key)
                removeSession(root, key, place)
            end
        end
        function change.use()
            local root, used = take(), take()
            if redis.call('HLEN', sceneKey(root)) > 0 then
                redis.call('HSET', sceneKey(root), 'used', used)
                redis.call('ZADD', 'vms:used', used, root)
            end
        end
        function change.share()
            local root = take()
            for _ = 1, tonumber(take()) do redis.call('HSET', sceneKey(root), 'shared:' .. take(), take()) end
        end

        """

    private static let run = """
        local isFine, refusal = pcall(function()
            redis.call('ZCARD', 'vms:used')
            while at < #ARGV do check[take()]() end
        end)
        if not isFine then
            if type(refusal) == 'table' and refusal[1] then return {'refused', refusal[1]} end
            -- The error of a command, by its code.
            if type(refusal) == 'string' and string.find(refusal, '^%u+ ') then return redis.error_reply(refusal) end
            error(refusal)
        end
        redis.call('HSET', KEYS[1], 'commit', ARGV[2])
        at = 3
        while at < #ARGV do change[take()]() end
        return {'ok'}
        """
}
