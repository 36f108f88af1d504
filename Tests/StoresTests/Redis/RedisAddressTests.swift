import Stores
import Testing

struct RedisAddressTests {
    @Test(
        arguments: [
            ("redis://localhost", "redis://localhost:6379", nil, nil),
            ("redis://10.0.0.1:7000/", "redis://10.0.0.1:7000", nil, nil),
            ("valkey://db.example:1/15", "redis://db.example:1/15", nil, nil),
            ("redis://[::1]:6380/2", "redis://[::1]:6380/2", nil, nil),
            ("redis://[fe80::1]", "redis://[fe80::1]:6379", nil, nil),
            ("redis://:secret@host", "redis://host:6379", nil, "secret"),
            ("redis://me:secret@host", "redis://host:6379", "me", "secret"),
            ("redis://me@host", "redis://host:6379", "me", nil),
            ("redis://me:a%40b%2Fc%3A%25@host/1", "redis://host:6379/1", "me", "a@b/c:%"),
            ("redis://:a@b:c@host", "redis://host:6379", nil, "a@b:c"),
            ("unix:///run/redis.sock", "unix:///run/redis.sock", nil, nil),
            ("unix:///run/a@b%20c?db=3", "unix:///run/a@b c?db=3", nil, nil),
            ("unix://me:pw@/run/redis.sock?db=0", "unix:///run/redis.sock", "me", "pw"),
        ] as [(String, String, String?, String?)])
    func `an address is read, and written without its password`(
        _ text: String, _ written: String, _ user: String?, _ password: String?
    ) throws {
        let address = try RedisAddress(text)
        #expect("\(address)" == written)
        #expect(address.user == user)
        #expect(address.password == password)
    }

    @Test(arguments: [
        ("redis:host", "takes redis://HOST:PORT or unix:///PATH"),
        ("http://me:hush@host", "knows no scheme of this name"), ("rediss://me:hush@host", "without TLS"),
        ("redis://", "names no host"), ("redis://me:hush@", "names no host"),
        ("redis://me:hush@:6379", "names no host"),
        ("redis://me:hush@host:0", "has a port that isn't 1 to 65535"),
        ("redis://me:hush@host:65536", "has a port"), ("redis://me:hush@host:x", "has a port"),
        ("redis://me:hush@::1", "write an IPv6 address in brackets"),
        ("redis://me:hush@[::1]x", "has a host that isn't [IPv6]:PORT"),
        ("redis://me:hush@host/x", "has a database that is no number"),
        ("redis://me:hush@host/-1", "has a database that is no number"),
        ("redis://me:hush@host/1?x=1", "nothing behind a ?"), ("redis://me:hush%@host", "write %25"),
        ("redis://me:hush%4@host", "write %25"), ("redis://me:hush%zz@host", "write %25"),
        ("unix://", "names no socket"), ("unix://me:hush@", "names no socket"), ("unix:///", "names no socket"),
        ("unix://run/redis.sock", "names no socket"), ("unix:///run/x?name=1", "takes ?db=NUMBER"),
        ("unix:///run/x?db=", "has a database that is no number"),
    ])
    func `a mistake is said without the password`(_ text: String, _ words: String) throws {
        let mistake = try #require(#expect(throws: RedisAddress.Mistake.self) { _ = try RedisAddress(text) })
        #expect(mistake.reason.contains(words))
        #expect(!mistake.reason.contains("hush"))
    }
}
