;;; view-model-find-preview.el --- The file of a result of a finder  -*- lexical-binding: t; -*-

;;; Commentary:

;; The lines of the file around the one that was found, in the window
;; above the results.

;;; Code:

(require 'view-model-find-row)
(require 'view-model-list)

(defvar-local view-model-find-preview--file nil
  "The last event that told which file this is.")

(defvar-local view-model-find-preview--note nil
  "What there is to say beside the lines.")

(defvar-local view-model-find-preview--is-placed nil
  "Whether the line that was found is in the middle of the window, or was.")

(defvar view-model-find-preview-mode-map (view-model-list--make-map)
  "Keys in the preview of a file.")

(define-derived-mode view-model-find-preview-mode view-model-mode "Preview"
  "Show the lines of a file that a finder has found."
  (setq view-model-event-function #'view-model-find-preview--take
        view-model-reset-function #'view-model-find-preview--reset
        view-model-paint-function #'view-model-find-preview--paint
        view-model-status-function #'view-model-find-preview--status
        view-model-is-fleeting t
        view-model-list-line-function #'view-model-find-preview--line
        view-model-list-empty-text ""
        view-model-keys '(("C-M-v" . "scroll") ("q")))
  (setq-local cursor-in-non-selected-windows nil
              mode-line-position '(:eval (view-model-list--place)))
  (view-model-list--set-up)
  (add-hook 'post-command-hook #'view-model-list--follow nil t))

(defun view-model-find-preview--reset ()
  "Forget the file."
  (unless view-model-list--rows (view-model-list--begin (view-model-list "lines")))
  (setq view-model-find-preview--file nil
        view-model-find-preview--note nil
        view-model-find-preview--is-placed nil))

(defun view-model-find-preview--take (event)
  "Remember EVENT."
  (pcase (plist-get event :kind)
    ("file" (unless (equal event view-model-find-preview--file)
              (setq view-model-find-preview--file event
                    view-model-find-preview--is-placed nil)))
    ("note" (setq view-model-find-preview--note (plist-get event :message)))))

(defun view-model-find-preview--status ()
  "Say which file this is."
  (let ((path (plist-get view-model-find-preview--file :path)) (line (plist-get view-model-find-preview--file :line))
        (note (or view-model-find-preview--note (view-model-rows-problem view-model-list--rows))))
    (concat path (when line (format ":%d" line))
            (when note (propertize (concat "  " note) 'face 'shadow)))))

(defun view-model-find-preview--line (rows index width)
  "Return the line of ROWS at INDEX, after its number in WIDTH columns."
  (concat (propertize (string-pad (number-to-string (1+ index)) width nil t) 'face 'view-model-find-line-number) "  "
          (if-let ((row (view-model-rows-row rows index)))
              (view-model-find--marked (plist-get row :text) nil)
            (propertize "..." 'face 'shadow))))

(defun view-model-find-preview--paint ()
  "Show the lines around the one that was found.
They are counted while they are shown, so it may come later."
  (let ((line (plist-get view-model-find-preview--file :line)) (count (view-model-list--count))
        (height (view-model-list--height)))
    (when (and height view-model-find-preview--file (not view-model-find-preview--is-placed) (>= count (or line 1)))
      (let ((index (1- (or line 1))))
        (view-model-rows-move-mark view-model-list--rows view-model-list--top (max 0 (- index (/ height 2))))
        (view-model-rows-move-mark view-model-list--rows view-model-list--current index)
        (setq view-model-find-preview--is-placed t)))
    (hl-line-mode (if (and line (> count 0)) 1 -1))
    (view-model-list--paint)))

(provide 'view-model-find-preview)

;;; view-model-find-preview.el ends here
