#!/usr/bin/env bash
# A View in bash, with nc and jq: a list of orders, the details of one, a question over them, and back.
#
#     orders.sh [HOST:PORT [COUNT]]          (127.0.0.1:7351, and 100 orders)
#
# It prints what a person would see. Read it from the top: a connection, what goes, what comes, a lost connection, and
# the walk itself. Status 0: it was walked to its end. 75: a session was gone, or can't go on for now, before an event was
# answered; the event is the last line of the output, {"dropped":EVENT,"wasSent":BOOLEAN}, as it is where a signal ends
# the script meanwhile. 77: a program is missing. 1: anything else.
set -uo pipefail

address=${1:-127.0.0.1:7351}
host=${address%:*} port=${address##*:}
count=${2:-100}

say() { printf '%s\n' "$*"; }
fail() { printf 'orders.sh: %s\n' "$*" >&2; exit 1; }

[[ $count =~ ^(0|[1-9][0-9]*)$ ]] || fail "no count: $count"
for program in nc jq; do
    command -v "$program" >/dev/null || { printf 'orders.sh needs %s\n' "$program" >&2; exit 77; }
done

# --- A connection -----------------------------------------------------------------------------------------------------
#
# nc is the connection, and a process beside this one. What is written to $to reaches the server: a message of JSON a
# line. What the server says goes through one jq, which makes of each message a line of words for `read` to take apart:
#
#     answer         ID  REFUSAL  SESSION  KEY  ORDERS  TYPE  TEXT  EPOCH  HANDLED  ANEW  DURABLE  TROUBLE  CODE  AGAIN
#     notification   METHOD  SESSION  SEQ  BEFORE  VIEWMODEL  KEY  REASON  KIND  TEXT
#
# ORDERS is the name under which the server hosts the orders of the examples, and TYPE the type of what it calls "orders",
# which is its own to say: another server's orders are other ones. The TEXT of an answer is rows of a list. Where it has a
# snapshot, ANEW is the number that it is of, and its events follow as notifications do. TROUBLE is in the answer to a ping, and
# is why the server's store can't be used. CODE is the number of an error. After AGAIN milliseconds what was refused may
# be asked for again.
#
# The words are separated by the character that ASCII has for it, \x1f, and the lines of TEXT by \x1e.

to_words='
    # An event as a person sees it.
    def text:
        if .kind == "loading" then (if .value then "Loading…" else empty end)
        elif .kind == "orders" then "\(.count) orders:"
        elif .kind == "failed" then "The orders can’t be shown: \(.message)"
        elif .kind == "cancelled" and has("id") then "Order #\(.id) is cancelled."
        elif .kind == "title" then .value
        elif .kind == "cancelled" then (if .value then "  cancelled" else "  not cancelled" end)
        elif .kind == "note" then "  note: \(.value)\(if .isSaved then "" else " (not saved)" end)"
        elif .kind == "question" then "  \(.value)"
        else empty end;   # a newer server may say more

    if has("method") then
        .method as $method | .params | [
            "notification", $method, .session, .seq, .after // (.seq // 1) - 1, .viewModel, .key, .reason,
            .event.kind, if .event then [.event | text] | join("\u001e") else null end
        ]
    else
        (.result.capabilities.viewModels? // []) as $hosted
        | ["answer", .id, .error.message, .result.session?, .result.key?,
           ($hosted | map(select(.type == "Examples.OrdersViewModel").name)[0]),
           ($hosted | map(select(.name == "orders").type)[0]),
           (.result | if .rows? then [
               (.rows[] | "  \(.name)"), (if .first + (.rows | length) < .count then "  …" else empty end)
           ] | join("\u001e") else null end),
           .result.epoch?, .result.handled?, (.result | if .snapshot? then .seq else null end),
           .result.capabilities.durable?, .result.storeUnavailable?, .error.code?,
           (.error.data.retryAfterMs? | numbers | [., 60000] | min | floor)],
          (.result as $from | $from.snapshot[]? | [
            "notification", "viewModel/event", $from.session, $from.seq, $from.seq, null, null, null,
            .kind, ([text] | join("\u001e"))
          ])
    end
    | map(. // "" | tostring) | join("\u001f")'

nc=

connect() {
    coproc NC { exec nc "$host" "$port" 2>/dev/null > >(exec jq -r --unbuffered "$to_words" 2>/dev/null); }
    nc=$!
    # Where nc has ended already, bash has closed its two ends, and forgotten them.
    local ends=("${NC[@]-}")
    { exec {to}>&"${ends[1]-}" {from}<&"${ends[0]-}"; } 2>/dev/null || { nc=; return 2; }
    view=() # the numbers by which a connection knows its views are its own
    request initialize '{"clientInfo":{"name":"orders.sh"}}' || return
    orders=${words[5]-} type=${words[6]-} durable=${words[11]-}
}

disconnect() {
    [ -n "$nc" ] || return 0
    kill "$nc" 2>/dev/null
    wait "$nc" 2>/dev/null
    exec {to}>&- {from}<&-
    nc=
}

# To write to an nc that is gone is to have lost the connection, and no reason to die.
trap '' PIPE
trap disconnect EXIT

# The next message, in $words. nc doesn't report the end of the connection, and a server that was stopped says nothing:
# after five seconds of silence it is asked whether it is there, and after five more the connection counts as lost.
hear() {
    IFS=$'\x1f' read -r -t 5 -a words <&"$from" && return
    [ $? -gt 128 ] || return # not a time that passed
    printf '{"jsonrpc":"2.0","id":0,"method":"ping"}\n' 2>/dev/null >&"$to" || return
    IFS=$'\x1f' read -r -t 5 -a words <&"$from"
}

# --- What goes --------------------------------------------------------------------------------------------------------

id=0

# request METHOD PARAMS: asks, and shows what comes until the answer is there.
#
# Status 0: it is in $words. Status 1: the server refused, and $refusal says why. Status 2: the connection is lost.
request() {
    refusal=
    id=$((id + 1))
    local was_sent_before=$was_sent
    # Not behind it: a signal may come between.
    [ "$1" != view/event ] || was_sent=true
    printf '{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}\n' "$id" "$1" "$2" 2>/dev/null >&"$to" ||
        { was_sent=$was_sent_before; return 2; }
    while hear; do
        if [ "${words[0]}" = notification ]; then
            take "${words[@]}"
        elif [ "${words[1]}" = "$id" ]; then
            refusal=${words[2]-}
            [ -n "${words[14]-}" ] || { [ -z "$refusal" ]; return; }
            # Nothing was done, and may be soon.
            say_trouble "$refusal"
            rest "$((words[14] / 1000)).$(printf %03d $((words[14] % 1000)))"
            request "$1" "$2"
            return
        else
            say_trouble "${words[12]-}"
        fi
    done
    return 2
}

# say_trouble WHY: what is sent waits, as for a store that is away. Said once.
trouble=
say_trouble() {
    [ -z "$1" ] || [ "$1" = "$trouble" ] || printf 'orders.sh: nothing is lost, and it waits: %s\n' "$1" >&2
    trouble=$1
}

# A screen is called here as its view model is. For each one that is open:
declare -A key    # names its session, on whatever connection
declare -A view   # this connection's number for it, which is in every message
declare -A seq    # the number of the last event that was shown
declare -A epoch  # the history that this is a number of
declare -A number # how many events were sent to it
declare -A ended  # why it is no longer open
declare -A seen   # "SCREEN KIND", for each kind of event that was shown

client=orders.sh-$$-$RANDOM$RANDOM # under this name the server counts what was sent from here

waiting=       # the event that is sent, until it is answered
waiting_for=   # its screen
was_sent=false # whether it may have reached the server

# send SCREEN EVENT: a view event. Its number makes sure that it is applied once: after a lost connection it is sent
# again under the same number, and where the server had taken it already, it answers without applying it.
send() {
    number[$1]=$((number[$1] + 1))
    waiting=$2 waiting_for=$1 was_sent=false
    while [ -n "${key[$1]-}" ]; do
        request view/event "{\"session\":${view[$1]},\"number\":${number[$1]},\"event\":$2}"
        case $? in
            0) waiting= && return ;;
            1) [ -z "${key[$1]-}" ] || fail "$refusal" ;; # else it ended meanwhile
            2) come_back ;;
        esac
    done
    # The screen may have been taken off by this very event, whose answer was lost.
    [[ $was_sent = true && ${ended[$1]} = @(popped|dismissed|gone) ]] || give_back "$1 is ${ended[$1]}"
    waiting=
}

# give_back WHY: there is nothing to go on with. The event that waits isn't lost: a script can send it again.
give_back() {
    print_waiting "$1"
    exit 75
}

# give_back_kept SCREEN KEPT [WHY]: the session can't go on now, and may at another time. All is shown on the orders: with
# their key one comes back to it.
give_back_kept() {
    give_back "$1 can't go on for now, $2${3:+ ($3)}: come back by session/attach, with the orders' key ${key[orders]}"
}

print_waiting() {
    [ -z "$waiting" ] || say "{\"dropped\":$waiting,\"wasSent\":$was_sent}"
    printf 'orders.sh: %s%s\n' "$1" "${waiting:+; what was not answered is printed}" >&2
}

# Whoever ends the script is told, too. The answer isn't waited for: Ctrl-C has ended nc as well.
interrupted() {
    trap - INT TERM HUP
    [ -z "$waiting" ] || print_waiting "ended by SIG$1"
    kill $resting 2>/dev/null
    disconnect
    kill -s "$1" $$
}
for signal in INT TERM HUP; do trap "interrupted $signal" "$signal"; done

# rest SECONDS: bash takes no signal while it waits for a program, but it does while it waits for one behind it.
resting=
rest() {
    sleep "$1" & resting=$!
    wait "$resting"
    resting=
}

# show_rows SCREEN LIST FIRST COUNT: a list's events only say how many rows it has, since there may be a million. Those
# that are to be seen are asked for, and come as they are now.
show_rows() {
    while [ -n "${key[$1]-}" ]; do
        request session/rows "{\"session\":${view[$1]},\"list\":\"$2\",\"first\":$3,\"count\":$4}"
        case $? in
            0) [ -z "${words[7]-}" ] || say "${words[7]//$'\x1e'/$'\n'}"; return ;;
            1) fail "can't show $2: $refusal" ;;
            2) come_back ;;
        esac
    done
}

# back SCREEN: leaves it. Status 1 when its view model won't let go.
back() {
    while [ -n "${key[$1]-}" ]; do
        request navigation/back "{\"session\":${view[$1]}}"
        case $? in
            0) return ;;
            1) say "You can’t leave: $refusal."; return 1 ;;
            2) come_back ;;
        esac
    done
}

# With the same `once` the server gives the same session, where an answer was lost and the session is asked for again.
once=$(head -c 18 /dev/urandom | base64 | tr +/ -_)

open_orders() {
    # An older server tells no types: then the name has to do.
    [ -n "$orders" ] || [ -z "$type" ] || fail "the orders of $address are other ones than the examples': $type"
    local ways="\"client\":\"$client\",\"once\":\"$once\""
    while true; do
        request session/open "{\"viewModel\":\"${orders:-orders}\",\"arguments\":{\"count\":$count,\"delay\":0},$ways}"
        case $? in
            0) break ;;
            1) fail "can't open orders: $refusal" ;;
            2) come_back ;;
        esac
    done
    remember orders "${words[4]}"
    # Where the session was there before, it may have events from this client.
    number[orders]=${words[9]:-0}
    attached orders
}

# remember SCREEN KEY: there is a session to show.
remember() {
    key[$1]=$2
    seq[$1]=0 epoch[$1]=
    number[$1]=0
}

# attach SCREEN: to the session with its key. Of its events those come that weren't shown yet. Where the session can't
# say what it has taken from here, an event that was sent may have been handled: it isn't sent again.
attach() {
    local since="\"since\":${seq[$1]}${epoch[$1]:+,\"epoch\":\"${epoch[$1]}\"}"
    request session/attach "{\"key\":\"${key[$1]}\",$since,\"client\":\"$client\"}"
    case $? in
        0)
            attached "$1"
            [[ -n ${words[9]-} || -z $waiting || $waiting_for != "$1" || $was_sent = false ]] ||
                give_back "$1 doesn't know this client any more"
            ;;
        1)
            # -32012 is UnknownSession: it ended while nobody looked. With anything else it is there.
            [ "${words[13]-}" = -32012 ] || give_back_kept "$1" "and is kept" "$refusal"
            forget "$1" gone
            ;;
        2) return 2 ;;
    esac
}

# attached SCREEN: as the answer in $words says. With a snapshot, its events follow, and then those behind its number.
attached() {
    view[$1]=${words[3]} epoch[$1]=${words[8]-}
    [ -z "${words[10]-}" ] || seq[$1]=${words[10]}
}

# --- What comes -------------------------------------------------------------------------------------------------------

# take notification METHOD SESSION SEQ BEFORE VIEWMODEL KEY REASON KIND TEXT
take() {
    local method=$2 screen
    screen=$(screen_with "$3")
    [ -n "$screen" ] || return 0

    if [ "$method" = session/closed ]; then
        # Of a durable one the store still has all.
        [ "$8$durable" != failedtrue ] || give_back_kept "$screen" "and is kept if it is durable"
        forget "$screen" "$8"
        return
    fi
    # Numbers rise by one, or come with the one before them. Anything else would be a bug, and shows.
    [ "$5" = "${seq[$screen]}" ] || fail "$screen: number $4 came after ${seq[$screen]}"
    seq[$screen]=$4

    case $method in
        viewModel/event)
            seen["$screen $9"]=1
            # There may be nothing to see in it.
            [ -z "${10-}" ] || say "${10//$'\x1e'/$'\n'}"
            ;;
        # The server says what is to be shown. The walk attaches to it when it gets there.
        navigation/push | navigation/present) remember "$6" "$7" ;;
        # A screen that is taken off has its own message.
        navigation/pop | navigation/dismiss) ;;
    esac
}

screen_with() {
    local screen
    for screen in "${!view[@]}"; do
        if [ "${view[$screen]}" = "$1" ]; then say "$screen"; fi
    done
}

# forget SCREEN WHY
forget() {
    say "[$1 is $2]"
    unset "key[$1]" "view[$1]"
    ended[$1]=$2
    # Without the list there is none of the others: the server was started again, or we were away for too long.
    [ "$1" != orders ] || give_back "the session is $2"
}

listen() {
    if hear; then
        if [ "${words[0]}" = notification ]; then take "${words[@]}"; else say_trouble "${words[12]-}"; fi
    else
        come_back
    fi
}

# until_shown SCREEN KIND: until the server wants it shown, and this kind of event was.
until_shown() {
    until [ -n "${key[$1]-}" ]; do listen; done
    until [ -n "${view[$1]-}" ]; do attach "$1" || come_back; done
    until [ -n "${seen["$1 $2"]-}" ]; do listen; done
}

# until_gone SCREEN
until_gone() {
    while [ -n "${key[$1]-}" ]; do listen; done
}

# --- A lost connection ------------------------------------------------------------------------------------------------

# Connects again, and goes on with every screen where it was. Gives a server half a minute to come back, too.
come_back() {
    local pause screen
    for pause in 0 0.1 0.2 0.5 1 2 4 8 15; do
        rest "$pause"
        disconnect
        connect || continue
        say "[connected again]"
        # A screen that shows another one comes first.
        for screen in orders orderDetails confirmCancel; do
            [ -z "${key[$screen]-}" ] || attach "$screen" || continue 2
        done
        return
    done
    give_back "the server is gone"
}

# --- The walk ---------------------------------------------------------------------------------------------------------

connect || fail "no server at $address${refusal:+: $refusal}"
open_orders

say "> load"
send orders '{"kind":"loadOrders"}'
show_rows orders orders 0 9
[ "$count" -le 9 ] || show_rows orders orders $((count - 1)) 1

say "> choose order 7"
send orders '{"kind":"selectOrder","index":7}'
until_shown orderDetails note

say "> cancel it"
send orderDetails '{"kind":"cancelOrder"}'
until_shown confirmCancel question

# Here nc is killed. What is sent next finds out, and is sent again.
kill "$nc"

say "> yes"
send confirmCancel '{"kind":"confirm"}'
until_gone confirmCancel

say "> write a note"
send orderDetails '{"kind":"editNote","value":"call them"}'

say "> back"
if ! back orderDetails; then
    say "> save the note"
    send orderDetails '{"kind":"saveNote"}'
    say "> back"
    back orderDetails
fi
until_gone orderDetails

# To leave ends nothing: a server with a store keeps the orders for whoever comes back. `session/close` would end them.
request shutdown '{}'
[ "$durable" != true ] || printf 'orders.sh: kept, if it is durable: orders, with the key %s\n' "${key[orders]}" >&2
exit 0 # nothing is left to be lost
