;;; view-model-testing.el --- What the tests of the Emacs client share  -*- lexical-binding: t; -*-

;;; Commentary:

;; Against the server at VIEW_MODEL_ADDRESS, servers of a test's own
;; (VIEW_MODEL_SERVER), and a made-up one within this Emacs for what a
;; server says seldom.

;;; Code:

(require 'cl-lib)
(require 'ert)
(require 'view-model)

(defvar view-model-tests-patience 120 "Seconds after which something is taken to hang.")

(defconst view-model-tests-folder (file-name-directory (directory-file-name (file-name-directory load-file-name)))
  "Where the package and its README are.")

;;; Waiting and reading

(defun view-model-tests-until (what is-so &optional seen)
  "Wait until IS-SO returns non-nil, and return that; WHAT says what it is.
SEEN, a function, returns what is there in its place."
  (let ((deadline (+ (float-time) view-model-tests-patience)) value)
    (while (not (setq value (funcall is-so)))
      (when (> (float-time) deadline)
        (ert-fail (format "expected: %s\nseen:\n%s" what (if seen (funcall seen) "nothing of the kind"))))
      (accept-process-output nil 0.02))
    value))

(defun view-model-tests-text (buffer)
  "Return what a user sees in BUFFER, its header line first; an empty text where there is none."
  (if (get-buffer buffer)
      (with-current-buffer buffer
        (concat (when view-model--view (string-replace "%%" "%" (substring-no-properties (view-model--header)))) "\n"
                (buffer-substring-no-properties (point-min) (point-max))))
    ""))

(defun view-model-tests-see (buffer &rest patterns)
  "Wait until BUFFER shows all PATTERNS; those after `:not' mustn't be there."
  (let ((without (cdr (memq :not patterns)))
        (wanted (cl-subseq patterns 0 (cl-position :not patterns))))
    (view-model-tests-until (format "in %s: %S, without %S" buffer wanted without)
                            (lambda ()
                              (let ((text (view-model-tests-text buffer)))
                                (cl-flet ((is-there (pattern) (string-match-p pattern text)))
                                  (and (cl-every #'is-there wanted) (cl-notany #'is-there without)))))
                            (lambda () (view-model-tests-text buffer)))))

(defun view-model-tests-below (buffer)
  "Return what a user sees below the text of BUFFER."
  (with-current-buffer buffer
    (substring-no-properties (or (overlay-get view-model--overlay 'after-string) ""))))

(defun view-model-tests-press (keys)
  "Press KEYS in the selected window."
  (set-buffer (window-buffer))
  (execute-kbd-macro (kbd keys)))

(defun view-model-tests-said (pattern function)
  "Call FUNCTION and wait until a message has PATTERN."
  (let ((start (with-current-buffer (messages-buffer) (point-max-marker))))
    (cl-flet ((said () (with-current-buffer (messages-buffer) (buffer-substring start (point-max)))))
      (funcall function)
      (view-model-tests-until (format "a message with %S" pattern)
                              (lambda () (string-match-p pattern (said)))
                              #'said))))

(defun view-model-tests-end ()
  "Kill all views, and wait until nothing of them is left."
  (dolist (server view-model--servers)
    (dolist (root (copy-sequence (view-model--server-roots server)))
      (when (buffer-live-p (view-model--view-buffer root)) (kill-buffer (view-model--view-buffer root)))))
  (view-model-tests-until "no connection is left"
                          (lambda ()
                            (cl-notany (lambda (process) (string-prefix-p "view-model-" (process-name process)))
                                       (process-list))))
  (view-model-tests-until "no buffer is left"
                          (lambda ()
                            (cl-notany (lambda (buffer) (string-match-p "view-model-[0-9]" (buffer-name buffer)))
                                       (buffer-list))))
  (delete-other-windows)
  (should-not view-model--servers))

(defmacro view-model-tests-at (address &rest body)
  "Do BODY with the server at ADDRESS, and end all views of it."
  (declare (indent 1) (debug t))
  `(let ((view-model-address ,address)
         (view-model-command (list (getenv "VIEW_MODEL_SERVER") "--stdio"))
         (view-model-token nil)
         (view-model--unsent nil))
     (unwind-protect (progn (delete-other-windows) ,@body)
       (view-model-tests-end))))

(defun view-model-tests-address ()
  "Return the address of the server that runs."
  (getenv "VIEW_MODEL_ADDRESS"))

;;; Servers of a test's own

(defun view-model-tests-serve (&rest options)
  "Start a server with OPTIONS and return its process and the address that it listens at."
  (apply #'view-model-tests-run-server (getenv "VIEW_MODEL_SERVER") options))

(defun view-model-tests-shop ()
  "Start a server with other view models under the names of examples.
Its executable is built beside that of the server that is tested."
  (let ((program (expand-file-name "Shop" (file-name-directory (getenv "VIEW_MODEL_SERVER")))))
    (unless (file-executable-p program) (ert-fail (format "%s: `swift build --product Shop' makes it" program)))
    (view-model-tests-run-server program "--tcp" "0")))

(defun view-model-tests-run-server (program &rest options)
  "Start PROGRAM with OPTIONS and return its process and the address that it listens at."
  (let* ((log (generate-new-buffer " *server log*"))
         (process (make-process :name "server" :command (cons program options)
                                :connection-type 'pipe :noquery t :buffer nil :stderr log)))
    (set-process-query-on-exit-flag (get-buffer-process log) nil)
    (cons process
          (view-model-tests-until "the server listens"
                                  (lambda ()
                                    (with-current-buffer log
                                      (goto-char (point-min))
                                      (when (re-search-forward "listening on \\(.*\\)$" nil t) (match-string 1))))))))

(defun view-model-tests-stop (server)
  "End SERVER."
  (when (process-live-p (car server)) (signal-process (car server) 'KILL))
  (view-model-tests-until "the server ended" (lambda () (not (process-live-p (car server))))))

(defmacro view-model-tests-with-shop (&rest body)
  "Do BODY with a server of other view models under the names of examples."
  (declare (indent 0) (debug t))
  `(let ((shop (view-model-tests-shop)))
     (unwind-protect (view-model-tests-at (cdr shop) ,@body)
       (view-model-tests-stop shop))))

;;; A made-up server

(defvar view-model-tests-fake-answers nil
  "The answers of the made-up server: an alist of methods and functions of the parameters that return a result.")

(defvar view-model-tests-fake-log nil
  "The messages that the made-up server received, newest first.")

(defvar view-model-tests-fake-client nil
  "The newest connection of the made-up server.")

(defun view-model-tests-say (&rest message)
  "Let the made-up server send MESSAGE."
  (let ((text (json-serialize (append '(:jsonrpc "2.0") message) :null-object nil :false-object :json-false)))
    (process-send-string view-model-tests-fake-client
                         (format "Content-Length: %d\r\n\r\n%s" (string-bytes text) text))))

(defun view-model-tests-event (seq event &rest members)
  "Let the made-up server send EVENT with number SEQ and MEMBERS."
  (view-model-tests-say :method "viewModel/event" :params (append (list :session 1 :seq seq :event event) members)))

(defun view-model-tests-answer (method answer)
  "Let the made-up server ANSWER METHOD, by a function of the parameters."
  (setf (alist-get method view-model-tests-fake-answers nil nil #'equal) answer))

(defun view-model-tests-answer-late (method result)
  "Let the made-up server answer the newest request that was sent with METHOD, with RESULT."
  (view-model-tests-say :id (car (view-model-tests-last-request method)) :result result))

(defun view-model-tests-fake-filter (process text)
  "Take TEXT that came on PROCESS, and answer the requests in it."
  (setq view-model-tests-fake-client process)
  (let ((rest (concat (process-get process 'rest) text)))
    (while (and (string-match "\\`Content-Length: \\([0-9]+\\)\r\n\r\n" rest)
                (let* ((start (match-end 0)) (end (+ start (string-to-number (match-string 1 rest)))))
                  (when (>= (length rest) end)
                    (view-model-tests-fake-take
                     (json-parse-string (decode-coding-string (substring rest start end) 'utf-8)
                                        :object-type 'plist :null-object nil :false-object :json-false))
                    (setq rest (substring rest end))))))
    (process-put process 'rest rest)))

(defun view-model-tests-fake-take (message)
  "Answer MESSAGE."
  (push message view-model-tests-fake-log)
  (when (equal (plist-get message :method) "exit") (delete-process view-model-tests-fake-client))
  (when-let ((method (plist-get message :method)) (id (plist-get message :id)))
    (let* ((answer (cdr (assoc method view-model-tests-fake-answers)))
           (result (if answer (funcall answer (plist-get message :params)))))
      (unless (eq result 'nothing)
        (if (eq (car-safe result) 'error)
            (view-model-tests-say :id id :error (cdr result))
          (view-model-tests-say :id id :result result))))))

(defun view-model-tests-sent (method)
  "Return the parameters of what was sent with METHOD, oldest first."
  (nreverse (cl-loop for message in view-model-tests-fake-log
                     when (equal (plist-get message :method) method) collect (plist-get message :params))))

(defun view-model-tests-last-request (method)
  "Return the id and the parameters of the newest request that was sent with METHOD."
  (let ((message (cl-find method view-model-tests-fake-log :key (lambda (message) (plist-get message :method))
                          :test #'equal)))
    (cons (plist-get message :id) (plist-get message :params))))

(defun view-model-tests-sent-numbers ()
  "Return the numbers and values of the events that were sent, oldest first."
  (mapcar (lambda (params) (list (plist-get params :number) (plist-get (plist-get params :event) :value)))
          (view-model-tests-sent "view/event")))

(defmacro view-model-tests-with-listener (answers &rest body)
  "Do BODY with a made-up server that has ANSWERS, at which Emacs connects."
  (declare (indent 1) (debug t))
  `(let* ((view-model-tests-fake-log nil)
          (view-model-tests-fake-answers ,answers)
          (listener (make-network-process :name "fake" :server t :host "127.0.0.1" :family 'ipv4 :service t :noquery t
                                          :coding 'binary :filter #'view-model-tests-fake-filter)))
     (unwind-protect
         (view-model-tests-at (format "127.0.0.1:%d" (process-contact listener :service))
           ,@body)
       (dolist (process (process-list))
         (when (string-prefix-p "fake" (process-name process)) (delete-process process))))))

(defmacro view-model-tests-while-cut (&rest body)
  "Cut the connection to the made-up server, and let it come back only after BODY."
  (declare (indent 0))
  `(progn
     (cl-letf (((symbol-function 'view-model--delay) (lambda (_) 3600)))
       (delete-process view-model-tests-fake-client)
       (view-model-tests-until
        "the cut" (lambda () (eq 'waiting (view-model--server-state (car view-model--servers))))))
     ,@body
     (with-current-buffer "*thing*" (view-model-reload))))

(defmacro view-model-tests-with-fake (&rest body)
  "Do BODY with a made-up server, on which a view model is opened."
  (declare (indent 0) (debug t))
  `(view-model-tests-with-listener
       (list (cons "initialize" (lambda (_) '(:capabilities (:viewModels [(:name "thing")]))))
             (cons "session/open" (lambda (_) '(:session 1 :key "k" :viewModel "thing")))
             (cons "session/attach" (lambda (_) '(:session 1 :viewModel "thing" :seq 1)))
             (cons "view/event" (lambda (_) '(:seq 1))))
     (view-model "thing")
     (view-model-tests-until "the session is open" (lambda () (view-model--view-session view-model--view)))
     (view-model-tests-event 1 '(:kind "first" :value 1))
     (view-model-tests-see "*thing*" "first  1")
     ,@body))

;;; What the README shows, and the examples

(defun view-model-tests-take-example (mode)
  "Do what the README says for MODE, one of one's own."
  (with-temp-buffer
    (insert-file-contents (expand-file-name "README.md" view-model-tests-folder))
    (re-search-forward (concat "^(define-derived-mode " mode))
    (let ((start (match-beginning 0)))
      (re-search-forward "^```$")
      (eval-region start (match-beginning 0)))))

(defun view-model-tests-open-orders (&rest arguments)
  "Open orders with ARGUMENTS and wait until they are there."
  (view-model "orders" (append arguments '(:delay 0)))
  (view-model-tests-see "*orders*" "Order #0\n"))

(defun view-model-tests-run ()
  "Run all tests and end Emacs with their outcome."
  (ert-run-tests-batch-and-exit "^view-model-tests-"))

(provide 'view-model-testing)

;;; view-model-testing.el ends here
