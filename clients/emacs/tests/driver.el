;;; driver.el --- Does with this client what `view-model-server conform' says  -*- lexical-binding: t; -*-

;;; Commentary:

;;   view-model-server conform -- emacs -Q --batch -l clients/emacs/tests/driver.el
;;
;; A mode collects the events; the rest is read from what the screen is drawn from.  Commands that wait are called by a
;; timer, since each is answered at once.

;;; Code:

;; Advice to `message' has Emacs compile that anew into the home folder, where two drivers take it from each other.
(setq comp-enable-subr-trampolines nil native-comp-enable-subr-trampolines nil)

(push (expand-file-name ".." (file-name-directory load-file-name)) load-path)
(require 'view-model)

(cl-defstruct driver-shown "A view, and what was told there." name view problem events errors windows marks)

(defvar driver-all nil "All that was shown, the newest first.")
(defvar driver-opening nil "What is opened, whose view is made now.")
(defvar driver-asker nil "The view whose request is refused now.")

(defun driver-of (view)
  "Return what is shown of VIEW."
  (cl-find view driver-all :key #'driver-shown-view))

(defun driver-add (name)
  "Show something under NAME."
  (car (push (make-driver-shown :name name) driver-all)))

(define-derived-mode driver-mode view-model-mode "Driver"
  "Collect the events."
  (setq view-model-reset-function
        (lambda ()
          (let* ((view view-model--view)
                 (shown (or (driver-of view) driver-opening (driver-add (view-model--view-key view)))))
            (setf (driver-shown-view shown) view
                  (driver-shown-events shown) nil)))
        view-model-event-function (lambda (event) (push event (driver-shown-events (driver-of view-model--view))))
        view-model-paint-function
        (lambda ()
          (pcase-dolist (`(,name ,first ,count) (driver-shown-windows (driver-of view-model--view)))
            (view-model-rows-show (view-model-list name) first count)))))

(advice-add 'view-model--mode :override (lambda (_) #'driver-mode))

;; Errors are told in the echo area, which doesn't say of which view it speaks.
(advice-add 'view-model--request :around
            (lambda (request server method params on-result on-error)
              (let ((view (gethash (plist-get params :session) (view-model--server-sessions server))))
                (funcall request server method params on-result
                         (lambda (error) (let ((driver-asker view)) (funcall on-error error)))))))
(advice-add 'message :after
            (lambda (format &rest arguments)
              (when-let ((shown (and driver-asker format (driver-of driver-asker)))
                         (text (apply #'format-message format arguments)))
                ;; What is given back is read from `view-model--unsent'.
                (unless (string-search "M-x view-model-unsent" text) (push text (driver-shown-errors shown))))))

(defun driver-soon (function &rest arguments)
  "Call FUNCTION with ARGUMENTS when the command was answered; the user says yes to what it asks."
  (run-at-time 0 nil (lambda () (cl-letf (((symbol-function 'yes-or-no-p) #'always)) (apply function arguments))))
  nil)

(defun driver-do (command)
  "Do what COMMAND says, and return what is answered; nil is nothing."
  (cl-flet ((given (member) (plist-get command member)))
    (let* ((shown (cl-find (given :view) driver-all :key #'driver-shown-name :test #'equal))
           (view (and shown (driver-shown-view shown)))
           (buffer (or (and view (view-model--view-buffer view)) (current-buffer))))
      (with-current-buffer buffer
        (pcase (given :do)
          ("connect" (setq view-model-address (given :address)) (view-model--ready-server) nil)
          ("open" (let ((driver-opening (driver-add (given :view)))) (view-model (given :viewModel) (given :arguments)))
           nil)
          ("attach" (driver-soon #'driver-attach (driver-add (given :view)) (given :key)))
          ("send" (view-model-send (given :event)) nil)
          ("back" (view-model-back) nil)
          ("detach" (driver-soon #'kill-buffer buffer))
          ("close" (driver-soon (lambda () (with-current-buffer buffer (view-model-end)))))
          ("leave" (driver-soon #'driver-leave))
          ("show" (setf (alist-get (given :list) (driver-shown-windows shown) nil nil #'equal)
                        (list (given :first) (given :count)))
           (view-model--paint view))
          ("select" (driver-select shown (view-model--list view (given :list)) (given :index)) nil)
          ("look" (list :views (driver-object (cl-loop for shown in driver-all collect
                                                       (cons (driver-shown-name shown) (driver-look shown))))))
          (what (list :lacks what)))))))

(defun driver-select (shown rows index)
  "Let the row of ROWS at INDEX be the selected one in SHOWN."
  (let ((marks (driver-shown-marks shown)))
    (if-let ((mark (alist-get rows marks)))
        (view-model-rows-move-mark rows mark index)
      (push (cons rows (view-model-rows-add-mark rows index nil)) (driver-shown-marks shown)))))

(defun driver-attach (shown key)
  "Attach to KEY, of which SHOWN will be shown."
  (condition-case problem
      (let ((driver-opening shown)) (view-model-attach key))
    (user-error (setf (driver-shown-problem shown) (cadr problem)))))

(defun driver-leave ()
  "End as Emacs does, but for Emacs itself."
  (run-hooks 'kill-emacs-hook)
  (dolist (server view-model--servers)
    (setf (view-model--server-state server) 'closing)
    (view-model--delete-process (view-model--server-process server))))

(defun driver-object (alist)
  "Return ALIST as an object."
  (let ((object (make-hash-table :test #'equal)))
    (pcase-dolist (`(,name . ,value) alist) (puthash name value object))
    object))

(defun driver-look (shown)
  "Return what a user sees of SHOWN."
  (if-let ((view (driver-shown-view shown)))
      (list :state (cond ((or (view-model--view-is-removed view) (view-model--view-reason view)) "ended")
                         ((view-model--is-stale view) "old")
                         ((view-model--view-session view) "shown")
                         (t "opening"))
            :reason (or (view-model--view-reason view) (and (view-model--view-is-removed view) "it was left"))
            :key (view-model--view-key view)
            :seq (view-model--view-seq view)
            :events (vconcat (reverse (driver-shown-events shown)))
            :waiting (vconcat (mapcar #'view-model--sent-event (view-model--view-pending view)))
            :dropped (vconcat (cl-loop for unsent in view-model--unsent
                                       when (equal (view-model--unsent-label unsent) (view-model--label-of view))
                                       collect (list :event (view-model--unsent-event unsent) :wasSent
                                                     (if (view-model--unsent-was-sent unsent) t :json-false))))
            :errors (vconcat (reverse (driver-shown-errors shown)))
            :stall (view-model--stall view)
            :over (vconcat (mapcar #'view-model--view-key
                                   (append (view-model--view-children view)
                                           (ensure-list (view-model--view-presented view)))))
            :lists (driver-object (cl-loop for (name first count) in (driver-shown-windows shown)
                                           collect (cons name (driver-rows shown (view-model--list view name)
                                                                           first count)))))
    (list :state (if (driver-shown-problem shown) "ended" "opening") :reason (driver-shown-problem shown))))

(defun driver-rows (shown rows first count)
  "Return COUNT of ROWS from FIRST on, and which is selected in SHOWN."
  (list :count (view-model-rows-count rows) :first first
        :rows (vconcat (cl-loop for index from first repeat count collect (view-model-rows-row rows index)))
        :selected (when-let ((mark (alist-get rows (driver-shown-marks shown)))) (view-model-rows-mark-index mark))))

(defun driver-take (process text)
  "Do what the lines in TEXT say, of which PROCESS may have brought a part before."
  (let ((lines (split-string (concat (process-get process 'rest) text) "\n"))
        (json '(:null-object nil :false-object :json-false)))
    (process-put process 'rest (car (last lines)))
    (dolist (line (butlast lines))
      (let ((answer (driver-do (apply #'json-parse-string line :object-type 'plist json))))
        (process-send-string process (concat (if answer (apply #'json-serialize answer json) "{}") "\n"))))))

(pcase-let ((`(,host ,port) (split-string (pop command-line-args-left) ":")))
  (make-network-process :name "driver" :host host :service (string-to-number port) :coding '(utf-8-unix . binary)
                        :filter #'driver-take :sentinel (lambda (&rest _) (kill-emacs))))
(while t (accept-process-output nil 0.1))

;;; driver.el ends here
