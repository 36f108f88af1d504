;;; client.el --- A client in Emacs for `run'  -*- lexical-binding: t; -*-

;; Sends events to a durable session until the file ENDS is there, and says what it saw in the file REPORT, line by line.
;; WORK is the view model: counter, todos or orders.
;;
;;     SOCKET=… ENDS=… REPORT=… WORK=… emacs -Q --batch -L clients/emacs -l client.el

(require 'view-model)
(require 'view-model-orders)

(defvar kill-seen nil
  "The root's numbers with their events, newest first.")

(defun kill-write (text)
  "Add TEXT to the report, as a line."
  (write-region (concat text "\n") nil (getenv "REPORT") t 'silent))

(defun kill-fail (&rest words)
  "Say WORDS, a format with its arguments, and end with a status."
  (message "%s" (apply #'format words))
  (kill-emacs 1))

(defun kill-is-over ()
  "Return whether it is time to end."
  (file-exists-p (getenv "ENDS")))

(define-advice view-model--is-next (:around (function view params) kill)
  "Note each number that VIEW, a root, takes with PARAMS by FUNCTION."
  (when-let ((is-next (funcall function view params)))
    (unless (view-model--view-host view)
      (let ((number (plist-get params :seq)))
        (when (assq number kill-seen) (kill-fail "number %d came twice" number))
        (push (cons number (plist-get params :event)) kill-seen)))
    is-next))

(define-advice view-model--lists-are (:before (view snapshot) kill)
  "Fail where a snapshot comes for VIEW, a root."
  (when (and snapshot (not (view-model--view-host view))) (kill-fail "a snapshot came: %s" snapshot)))

(defmacro kill-await (condition)
  "Wait until CONDITION holds."
  `(while (not ,condition) (accept-process-output nil 0.003)))

(defun kill-has-gone (view)
  "Return whether VIEW has ended."
  (or (view-model--view-reason view) (view-model--view-is-removed view)))

(defun kill-deliver (view &rest events)
  "Send EVENTS to VIEW as a user does.
That is: again where the client says that they weren't sent, since
the store can't be reached."
  (while events
    (setq view-model--unsent nil)
    (kill-await (or (kill-has-gone view) (buffer-live-p (view-model--view-buffer view))))
    (unless (kill-has-gone view)
      (with-current-buffer (view-model--view-buffer view) (mapc #'view-model-send events)))
    (kill-await (or (kill-has-gone view)
                    (and (view-model--view-session view) (null (view-model--view-pending view)))))
    (when (view-model--view-reason (view-model--root view))
      (kill-fail "it has ended: %s" (view-model--view-reason (view-model--root view))))
    (setq events (and (not (kill-has-gone view)) (mapcar #'view-model--unsent-event view-model--unsent)))
    (when events (kill-pause))))

(defun kill-pause ()
  "Wait a little, while the store can't be reached."
  (let ((again (+ (float-time) 0.2)))
    (kill-await (> (float-time) again))))

(defun kill-report (view sent &rest more)
  "Write that VIEW was SENT so many events, and MORE."
  (kill-await (view-model--view-session view))
  (kill-write
   (json-serialize
    `( :viewModel ,(view-model--view-name view) :key ,(view-model--view-key view) :sent ,sent
       :seen ,(mapcar (lambda (pair) (cons (intern (number-to-string (car pair))) (or (cdr pair) :null)))
                      kill-seen)
       ,@more)
    :false-object :json-false :null-object :null)))

(defun kill-count (view)
  "Count in VIEW."
  (let ((sent 0))
    (while (not (kill-is-over))
      (apply #'kill-deliver view (make-list 10 '(:kind "increment" :by 1)))
      (cl-incf sent 10))
    (kill-report view sent :last (plist-get (cdar kill-seen) :value))))

(defun kill-note (view)
  "Add and remove what is to be done in VIEW."
  (let ((sent 0))
    (while (not (kill-is-over))
      (kill-deliver view `(:kind "add" :title ,(number-to-string sent)))
      (kill-deliver view `(:kind "toggle" :id ,(1+ (/ sent 2))))
      (kill-deliver view '(:kind "removeDone"))
      (cl-incf sent 2))
    (kill-report view sent)))

(defun kill-go-back (view)
  "Leave VIEW, however often that has to be asked for."
  (while (not (kill-has-gone view))
    (when (view-model--view-session view)
      (view-model--go-back view)
      (let ((again (+ (float-time) 0.1)))
        (kill-await (or (kill-has-gone view) (> (float-time) again)))))
    (accept-process-output nil 0.003)))

(defun kill-order (view)
  "Look at orders in VIEW, and write notes about them."
  (let ((sent 0) (rows (view-model--list view "orders")) is-over)
    (while (not is-over)
      (kill-deliver view `(:kind "selectOrder" :index ,(mod sent 20)))
      (kill-await (when-let ((child (car (view-model--view-children view)))) (view-model--view-session child)))
      (let ((details (car (view-model--view-children view))))
        (kill-deliver details `(:kind "editNote" :value ,(number-to-string sent)))
        (kill-deliver details '(:kind "saveNote"))
        (cl-incf sent 3)
        (setq is-over (kill-is-over))
        (unless is-over (kill-go-back details))))
    (kill-await (progn (when (view-model--view-session view) (view-model-rows-show rows 0 20))
                       (cl-loop for index below 20 always (view-model-rows-is-here rows index))))
    (kill-report
     view sent
     :navigation (vconcat (mapcar #'view-model--view-name (view-model--view-children view)))
     :rows (vconcat (cl-loop for index below (view-model-rows-count rows)
                             collect (plist-get (view-model-rows-row rows index) :id))))))

(let* ((work (getenv "WORK"))
       (view-model-address (getenv "SOCKET"))
       view)
  (view-model work (pcase work ("orders" '(:count 20 :delay 0))
                        ("todos" `(:list ,(format "%s %s" (emacs-pid) (float-time))))))
  (setq view view-model--view)
  (kill-await (and (view-model--view-session view) (null (view-model--view-pending view)) kill-seen))
  (kill-write "open")
  (funcall (pcase work ("counter" #'kill-count) ("todos" #'kill-note) ("orders" #'kill-order)) view)
  (kill-write "done")
  ;; It stays: without it nobody would have the session any more.
  (kill-await nil))

;;; client.el ends here
