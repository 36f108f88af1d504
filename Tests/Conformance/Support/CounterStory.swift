/// What every editor's script in `Clients/` prints: the same session, whoever holds it.
enum CounterStory {
    static let text = """
        initialize: view-model-server speaks 1.0
        session/open counter: session 1
        session 1 event 1: count 5
        session 1 event 2: count 8
        increment by 3: seq 2
        session 1 event 3: count 9
        session 1 event 4: count 10
        session 1 event 5: count 5
        reset: seq 5
        session 1 event 6: 100 rows from "Order #0" to "Order #99" at 123.45
        load: seq 6
        increment by "x": error -32602 at /event/by
        session 1 event 7: count 0
        increment by -5: seq 7
        session 1 event 8: count 9200000000000000000
        increment by 9200000000000000000: seq 8
        increment by 9200000000000000000: error -32014, \
        9200000000000000000 + 9200000000000000000 is beyond what a counter can hold
        session/open orders: session 2
        session 2 event 1: loading
        session 2 event 2: not loading
        loadOrders: cancelled
        session/list: 1 2
        session/close 2: done
        session/close 1: done
        reset after close: error -32012, there is no session 1 on this connection, or it is closed
        shutdown: done
        exit: status 0
        """
}
