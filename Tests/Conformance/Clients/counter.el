;;; counter.el --- A session with the counter from Emacs  -*- lexical-binding: t; -*-

;;; Commentary:

;; By nothing but the JSON-RPC library that Emacs ships:
;;
;;   VIEW_MODEL_SERVER=.build/debug/view-model-server emacs -Q --batch -l Tests/Conformance/Clients/counter.el -f counter-run
;;
;; Prints what it sees, a line each.

;;; Code:

(require 'cl-lib)
(require 'jsonrpc)

(defvar counter-server (or (getenv "VIEW_MODEL_SERVER") "view-model-server"))
(defvar counter-patience 120 "Seconds after which something is taken to hang.")
(defvar counter-connection nil)
(defvar counter-seen nil "An alist of each session and its newest event's number.")

(defun counter-say (format &rest arguments)
  "Print a line: FORMAT with ARGUMENTS."
  (princ (concat (apply #'format format arguments) "\n")))

(defun counter-wait-until (what is-so)
  "Take messages until IS-SO returns non-nil; WHAT names what is waited for."
  (with-timeout (counter-patience (error "Timed out: %s" what))
    (while (not (funcall is-so)) (accept-process-output nil 0.1))))

;; What a View does: it renders events. jsonrpc.el calls this for each one, in order.

(defun counter-render (event)
  "Return what EVENT means to a user."
  (let ((value (plist-get event :value)))
    (pcase (plist-get event :kind)
      ("count" (format "count %d" value))
      ("rows" (let ((last (aref value (1- (length value)))))
                (format "%d rows from \"%s\" to \"%s\" at %.2f" (length value)
                        (plist-get (aref value 0) :name) (plist-get last :name) (plist-get last :total))))
      ("loading" (if (eq value t) "loading" "not loading")))))

(defun counter-on-notification (_connection method params)
  "Render the event in PARAMS when METHOD carries one."
  (when (eq method 'viewModel/event)
    (cl-destructuring-bind (&key session seq event &allow-other-keys) params
      (setf (alist-get session counter-seen) seq)
      (counter-say "session %d event %d: %s" session seq (counter-render event)))))

(defun counter-connect ()
  "Start the server."
  (setq counter-connection
        (make-instance
         'jsonrpc-process-connection
         :name "view models"
         :notification-dispatcher #'counter-on-notification
         :events-buffer-scrollback-size 0
         :process (lambda ()
                    (make-process :name "view models" :command (list counter-server "--stdio")
                                  :connection-type 'pipe :coding 'utf-8-emacs-unix :noquery t
                                  :stderr (get-buffer-create "*view models stderr*"))))))

;; `jsonrpc-request' leaves the process filter by `throw', so what came with the answer waits there for the next output.
;; Where events follow an answer, as they do here, send asynchronously.

(defun counter-request (title method params show)
  "Send a request METHOD with PARAMS, wait for its answer, and return the result.
The answer is printed when it comes, among the events: TITLE and
what SHOW makes of the result, or the error."
  (let (answer)
    (jsonrpc-async-request counter-connection method params
                           :success-fn (lambda (result)
                                         (counter-say "%s: %s" title (funcall show result))
                                         (setq answer (list result)))
                           :error-fn (lambda (error)
                                       (counter-say "%s: %s" title (counter-describe error))
                                       (setq answer (list nil))))
    (counter-wait-until title (lambda () answer))
    (car answer)))

(defun counter-describe (error)
  "Return ERROR in words."
  (cl-destructuring-bind (&key code message data &allow-other-keys) error
    (if data (format "error %d at %s" code (plist-get data :path)) (format "error %d, %s" code message))))

(defun counter-done (_result)
  "Return what is said of a result that says nothing."
  "done")

(defun counter-initialize ()
  "Introduce Emacs to the server."
  (let ((result (jsonrpc-request counter-connection 'initialize
                                 `(:processId ,(emacs-pid) :clientInfo (:name "Emacs") :capabilities nil))))
    (counter-say "initialize: %s speaks %s"
                 (plist-get (plist-get result :serverInfo) :name) (plist-get result :protocolVersion))))

(defun counter-open (view-model arguments)
  "Open a session of VIEW-MODEL with ARGUMENTS and return its number."
  (plist-get (counter-request (format "session/open %s" view-model) 'session/open
                              `(:viewModel ,view-model :arguments ,arguments)
                              (lambda (result) (format "session %d" (plist-get result :session))))
             :session))

(defun counter-send (title session event)
  "Send EVENT to SESSION and print the answer under TITLE."
  (counter-request title 'view/event `(:session ,session :event ,event)
                   (lambda (result) (format "seq %d" (plist-get result :seq)))))

(defun counter-increment (session amount)
  "Send an increment by AMOUNT to SESSION."
  (counter-send (format "increment by %S" amount) session `(:kind "increment" :by ,amount)))

(defun counter-count (session)
  "Send SESSION every kind of event."
  (counter-increment session 3)
  ;; A notification has no answer; the events that follow tell what it did.
  (let ((one `(:session ,session :event (:kind "increment" :by 1))))
    (jsonrpc-notify counter-connection 'view/event one)
    (jsonrpc-notify counter-connection 'view/event one))
  (counter-send "reset" session '(:kind "reset"))
  (counter-send "load" session '(:kind "load"))
  (counter-increment session "x")
  (counter-increment session -5)
  (counter-increment session 9200000000000000000)
  (counter-increment session 9200000000000000000))

(defun counter-cancel (session)
  "Cancel a request to SESSION.  Emacs 28 has no function for that, but the request's id is the newest one."
  (let (error)
    (jsonrpc-async-request counter-connection 'view/event `(:session ,session :event (:kind "loadOrders"))
                           :success-fn (lambda (_) (setq error '(:code 0 :message "not cancelled")))
                           :error-fn (lambda (answer) (setq error answer)))
    (counter-wait-until "loading" (lambda () (eql 1 (alist-get session counter-seen))))
    (jsonrpc-notify counter-connection '$/cancelRequest
                    `(:id ,(jsonrpc--next-request-id counter-connection)))
    (counter-wait-until "cancelled" (lambda () error))
    (counter-say "loadOrders: %s"
                 (if (eql -32800 (plist-get error :code)) "cancelled" (counter-describe error)))))

(defun counter-list ()
  "Print the sessions of this connection."
  (counter-request "session/list" 'session/list nil
                   (lambda (result)
                     (mapconcat (lambda (view) (format "%d" (plist-get view :session)))
                                (plist-get result :sessions) " "))))

(defun counter-close (session)
  "Close SESSION."
  (counter-request (format "session/close %d" session) 'session/close `(:session ,session) #'counter-done))

(defun counter-stop ()
  "End the server as an editor should, and print its status."
  (let ((process (jsonrpc--process counter-connection)))
    (jsonrpc-request counter-connection 'shutdown nil)
    (counter-say "shutdown: done")
    (jsonrpc-notify counter-connection 'exit nil)
    (counter-wait-until "exit" (lambda () (not (process-live-p process))))
    (counter-say "exit: status %d" (process-exit-status process))))

(defun counter-run ()
  "Do everything once."
  (counter-connect)
  (counter-initialize)
  (let ((counter (counter-open "counter" '(:start 5))))
    (counter-count counter)
    (let ((orders (counter-open "orders" '(:delay 600))))
      (counter-cancel orders)
      (counter-list)
      (counter-close orders))
    (counter-close counter)
    (counter-send "reset after close" counter '(:kind "reset")))
  (counter-stop))

;;; counter.el ends here
