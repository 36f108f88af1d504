;;; view-model-outbox.el --- Events on their way to view models  -*- lexical-binding: t; -*-

;;; Commentary:

;; Events are numbered, and are pending until they are answered.  What
;; wasn't answered before a cut is sent again by its number, and what no
;; session takes is given back to the user.

;;; Code:

(require 'cl-lib)
(require 'view-model-unsent)

;;; Sending

(defvar view-model--senders nil
  "The views that sent something which may be unanswered.
Some of them have left the screen.")

(defvar view-model--sends-by-itself nil
  "Whether a view sends something that nobody typed.")

(defun view-model-send (event)
  "Send EVENT, a property list with a `:kind', to this buffer's view model.
While the connection is lost it is kept, and sent when that is back."
  (let* ((view (view-model--of-buffer-that-sends))
         (sent (view-model--make-sent :number (cl-incf (view-model--view-number view)) :event event
                                      :is-nobodys view-model--sends-by-itself)))
    (view-model--drop-unsent (view-model--find-unsent view (plist-get event :kind)))
    (when (view-model--view-is-fleeting view) (view-model--drop-waiting view (plist-get event :kind)))
    (setf (view-model--view-pending view) (append (view-model--view-pending view) (list sent)))
    (setq view-model--senders
          (cons view (cl-remove-if-not #'view-model--view-pending (delq view view-model--senders))))
    (cond ((view-model--view-session view)
           ;; A server that was stopped takes nothing, and gets it when it goes on.
           (unless (or (view-model--is-silent view) (view-model--view-rests view)) (view-model--transmit view sent)))
          ((not (or (view-model--view-is-fleeting view)
                    (eq (view-model--server-state (view-model--view-server view)) 'ready)))
           (message "Not connected: it waits, and is sent when its session is back")))
    (view-model--paint-soon view)))

(defun view-model--of-buffer-that-sends ()
  "Return the view of this buffer, to which the user may send.
Signal an error where its session has ended, or may only be looked at."
  (let ((view (view-model--of-buffer)))
    (when-let ((problem (view-model--problem view))) (user-error "Can't send: %s" problem))
    (view-model--may-act view)
    view))

(defun view-model--send-answer (ask)
  "Send the event that comes of ASK, which asks the user.
Meanwhile the view model may have gone, and another may be in its place."
  (let* ((view (view-model--of-buffer-that-sends))
         (buffer (current-buffer))
         (event (funcall ask)))
    (when (or (not (buffer-live-p buffer)) (view-model--problem view))
      (view-model--keep-unsent view event nil)
      (user-error "It isn't sent: the view model has gone meanwhile; M-x view-model-unsent shows it"))
    (with-current-buffer buffer (view-model-send event))))

(defun view-model--drop-waiting (view kind)
  "Forget what VIEW has of KIND that waits to be sent for the first time."
  (unless (view-model--view-session view)
    ;; The numbers of those that stay are given anew when they are sent.
    (setf (view-model--view-pending view)
          (cl-remove-if (lambda (sent)
                          (and (not (view-model--sent-was-sent sent))
                               (equal kind (plist-get (view-model--sent-event sent) :kind))))
                        (view-model--view-pending view)))))

(defun view-model--transmit (view sent)
  "Send SENT for VIEW."
  (let* ((server (view-model--view-server view))
         (token (cl-incf (view-model--server-next-token server)))
         (session (view-model--view-session view))
         (settle (lambda (error goes-on)
                   (unless goes-on (view-model--forget-progress view token))
                   (view-model--settle view sent error (eql session (view-model--sent-session sent))))))
    (puthash token view (view-model--server-tokens server))
    (setf (view-model--sent-session sent) session
          (view-model--sent-was-sent sent) t)
    (setf (view-model--sent-id sent)
          (view-model--request server 'view/event
                               `( :session ,session
                                  :event ,(view-model--sent-event sent)
                                  :number ,(view-model--sent-number sent)
                                  :workDoneToken ,token)
                               ;; Work that the view model goes on with has its progress until its end.
                               (lambda (result) (funcall settle nil (eq t (plist-get result :progress))))
                               (lambda (error) (funcall settle error nil))))))

(defun view-model--send-what-waits (view)
  "Send what VIEW has pending and no request carries."
  (dolist (sent (view-model--view-pending view))
    (unless (view-model--sent-session sent) (view-model--transmit view sent))))

(defun view-model--forget-requests (view)
  "Ignore the answers to the requests that carry events of VIEW."
  (dolist (sent (view-model--view-pending view)) (setf (view-model--sent-session sent) nil)))

;;; Answers

(defun view-model--settle (view sent error is-newest)
  "Take the answer to SENT of VIEW, which is ERROR or nil.
Unless IS-NEWEST, it was sent again since, or will be."
  (let ((code (plist-get error :code)))
    (unless (or (view-model--view-rests view) (eql code -32016)) (setf (view-model--view-refusal view) nil))
    (cond
     ;; Not answered, but lost: it may have to be sent again.
     ((eql code -1)
      (setf (view-model--sent-session sent) nil)
      (when (or (view-model--view-reason view) (view-model--view-is-removed view)) (view-model--give-back view)))
     ((eql code -32012) (when is-newest (view-model--came-too-late view sent)))
     ((and (eql code -32016) (not (view-model--sent-was-taken sent)) (not (view-model--view-is-fleeting view)))
      (when is-newest (view-model--send-later view sent error)))
     ;; One before it wasn't taken.
     ((equal (plist-get (plist-get error :data) :path) "/number")
      (if (view-model--view-rests view)
          (view-model--was-not-taken sent)
        (view-model--tell (view-model--view-server view) 'gap view)))
     ((and (memql code '(-32015 -32016)) (view-model--sent-was-taken sent))
      (when is-newest (view-model--ask-later view sent error)))
     (t
      (when (and error (view-model--is-news view sent error))
        (message "%s" (if (eql code -32800) "Cancelled" (plist-get error :message))))
      (setf (view-model--view-pending view) (delq sent (view-model--view-pending view)))
      (when (and error (not (view-model--view-is-removed view)))
        ;; LimitExceeded, StoreUnavailable: it wasn't taken, and its number is free for the next.
        (when (memql code '(-32015 -32016))
          (view-model--keep-unsent view (view-model--sent-event sent) nil)
          (if (= (view-model--sent-number sent) (view-model--view-number view))
              (cl-decf (view-model--view-number view))
            (view-model--tell (view-model--view-server view) 'gap view))))
      (view-model--paint-soon view)))))

(defun view-model--is-news (view sent error)
  "Return whether the user is to hear that SENT of VIEW came to ERROR."
  (not (or (view-model--view-is-removed view)
           ;; It made room for a newer one of its kind.
           (plist-get (plist-get error :data) :superseded)
           (and (view-model--view-is-fleeting view)
                (or (eql (plist-get error :code) -32800)
                    ;; The user has done something else since.
                    (cdr (memq sent (view-model--view-pending view))))))))

(defun view-model--came-too-late (view sent)
  "Take note that SENT of VIEW reached the server after its session's end."
  (let ((event (view-model--sent-event sent)))
    (setf (view-model--view-pending view) (delq sent (view-model--view-pending view)))
    (cond ((or (view-model--view-is-left (view-model--root view)) (view-model--view-is-fleeting view)))
          ;; A key was pressed twice, say.  There is no text to be kept.
          ((not (or (view-model--sent-was-taken sent) (cddr event)))
           (message "Too late for %s" (plist-get event :kind)))
          ;; The answer is the same where the view model was busy with it, so it may have been done.
          (t (view-model--keep-unsent view event t)))))

(defun view-model--progressed (view token value)
  "Show VALUE, the progress of the request with TOKEN, in VIEW."
  (if (equal (plist-get value :kind) "end")
      (view-model--forget-progress view token)
    (let ((title (or (plist-get value :title) (cadr (assoc token (view-model--view-progress view))) "Working")))
      (setf (alist-get token (view-model--view-progress view))
            (list title
                  (concat title
                          (when-let ((percentage (plist-get value :percentage))) (format " %d%%" percentage))
                          (when-let ((message (plist-get value :message))) (concat " " message)))))))
  (view-model--paint-soon view))

(defun view-model--forget-progress (view token)
  "Take note that VIEW hears no more of the request with TOKEN."
  (remhash token (view-model--server-tokens (view-model--view-server view)))
  (setf (alist-get token (view-model--view-progress view) nil t) nil))

;;; Sending again

(defun view-model--send-again (view handled)
  "Send what VIEW has pending: what was taken, up to HANDLED, by its number.
Then it is answered, and not done again.  The rest is numbered from there."
  (setf (view-model--view-number view) handled)
  (dolist (sent (view-model--view-pending view))
    ;; What was never sent wasn't taken: another view of this name may have used its number.
    (unless (setf (view-model--sent-was-taken sent)
                  (and (view-model--sent-was-sent sent) (<= (view-model--sent-number sent) handled)))
      (setf (view-model--sent-number sent) (cl-incf (view-model--view-number view))))
    (view-model--transmit view sent)))

(defun view-model--ask-later (view sent error)
  "Ask again what came of SENT of VIEW after the time that is given in ERROR.
The server has taken it before, and no room now for the question."
  (setf (view-model--sent-session sent) nil)
  (if (or (view-model--view-reason view) (view-model--view-is-removed view))
      (view-model--give-back view)
    (run-at-time
     (/ (or (plist-get (plist-get error :data) :retryAfterMs) 1000) 1000.0) nil
     (lambda (attaching)
       (when (and (view-model--view-session view)
                  (not (view-model--is-silent view))
                  (eql attaching (view-model--view-attachings view))
                  (memq sent (view-model--view-pending view))
                  (not (view-model--sent-session sent)))
         (view-model--transmit view sent)))
     (view-model--view-attachings view))))

(defun view-model--was-not-taken (sent)
  "Take note that the server has refused SENT, which is to be sent again."
  (setf (view-model--sent-session sent) nil
        (view-model--sent-id sent) nil
        (view-model--sent-was-sent sent) nil))

(defun view-model--send-later (view sent error)
  "Send SENT of VIEW again, by its number, after the time that is given in ERROR.
The server's store can't be used.  What comes after it waits as well."
  (view-model--was-not-taken sent)
  (cond ((or (view-model--view-reason view) (view-model--view-is-removed view)) (view-model--give-back view))
        ((not (view-model--view-rests view))
         (setf (view-model--view-rests view) t
               (view-model--view-refusal view) (plist-get error :message))
         (view-model--paint-soon view)
         (run-at-time
          (/ (or (plist-get (plist-get error :data) :retryAfterMs) 1000) 1000.0) nil
          (lambda (attaching)
            (when (eql attaching (view-model--view-attachings view))
              (setf (view-model--view-rests view) nil)
              (when (and (view-model--view-session view) (not (view-model--is-silent view)))
                (view-model--send-what-waits view))))
          (view-model--view-attachings view)))))

;;; Giving back

(defun view-model--give-back (view)
  "Give the user back what VIEW didn't send, since its session has ended.
Events on their way will be answered."
  (let ((idle (cl-remove-if #'view-model--sent-session (view-model--view-pending view))))
    (setf (view-model--view-pending view)
          (cl-remove-if-not #'view-model--sent-session (view-model--view-pending view)))
    (dolist (sent idle)
      (view-model--keep-unsent view (view-model--sent-event sent) (view-model--sent-was-sent sent)))))

(defun view-model--give-back-sent (view)
  "Give the user back what VIEW has sent and no answer came to."
  (let ((sent (cl-remove-if-not #'view-model--sent-was-sent (view-model--view-pending view))))
    (setf (view-model--view-pending view)
          (cl-remove-if #'view-model--sent-was-sent (view-model--view-pending view)))
    (dolist (one sent) (view-model--keep-unsent view (view-model--sent-event one) t))))

(provide 'view-model-outbox)

;;; view-model-outbox.el ends here
