;;; view-model-watch.el --- Notices that a server doesn't answer  -*- lexical-binding: t; -*-

;;; Commentary:

;; A server that was stopped, or a link whose other end is gone, says
;; nothing.  While something is unanswered, a question is sent every
;; five seconds that any server answers at once; it doesn't answer
;; where nothing at all is heard for ten.  What the answer says is up
;; to who asks.
;;
;; Seconds are counted by timers and not read from the clock, which
;; may jump.

;;; Code:

(require 'cl-lib)

(cl-defstruct (view-model-watch (:constructor view-model-watch-make) (:copier nil))
  "A watch over one connection."
  ask silent answers    ; functions: send the question; there is no answer; there is something again
  (unanswered 0)        ; how many requests are
  (quiet 0) (unasked 0) ; the seconds in which nothing was heard, and in which nothing was asked
  is-silent timer)

(defconst view-model-watch--patience 5
  "Seconds after which a server is asked, and asked again.
Where nothing is heard for twice as many, it is taken not to answer.")

(defun view-model-watch-begin (watch)
  "Let WATCH know that something is sent that will be answered."
  (when (= 1 (cl-incf (view-model-watch-unanswered watch)))
    (unless (view-model-watch-is-silent watch) (setf (view-model-watch-quiet watch) 0))
    (setf (view-model-watch-unasked watch) 0))
  (unless (view-model-watch-timer watch) (view-model-watch--look-later watch)))

(defun view-model-watch-end (watch)
  "Let WATCH know that one of those was answered."
  (cl-decf (view-model-watch-unanswered watch)))

(defun view-model-watch-heard (watch)
  "Let WATCH know that something came."
  (setf (view-model-watch-quiet watch) 0)
  (when (view-model-watch-is-silent watch)
    (setf (view-model-watch-is-silent watch) nil)
    (funcall (view-model-watch-answers watch))))

(defun view-model-watch-stop (watch)
  "End WATCH."
  (when (view-model-watch-timer watch) (cancel-timer (view-model-watch-timer watch)))
  (setf (view-model-watch-timer watch) nil))

(defun view-model-watch--look-later (watch)
  "Look in a second how WATCH stands."
  (setf (view-model-watch-timer watch) (run-at-time 1 nil #'view-model-watch--look watch)))

(defun view-model-watch--look (watch)
  "See how WATCH stands, as long as something is unanswered."
  (setf (view-model-watch-timer watch) nil)
  (unless (zerop (view-model-watch-unanswered watch))
    (view-model-watch--look-later watch)
    (cl-incf (view-model-watch-quiet watch))
    (cl-incf (view-model-watch-unasked watch))
    (cond ((view-model-watch-is-silent watch))
          ((>= (view-model-watch-quiet watch) (* 2 view-model-watch--patience))
           (setf (view-model-watch-is-silent watch) t)
           (funcall (view-model-watch-silent watch)))
          ((>= (view-model-watch-unasked watch) view-model-watch--patience)
           (setf (view-model-watch-unasked watch) 0)
           (funcall (view-model-watch-ask watch))))))

(provide 'view-model-watch)

;;; view-model-watch.el ends here
