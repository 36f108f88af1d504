;;; view-model-list.el --- Buffers of lists of hosted view models  -*- lexical-binding: t; -*-

;;; Commentary:

;; A list may have a million rows, so its buffer has only the lines of
;; its window.  The commands that move point are replaced by ones that
;; go through the whole list.

;;; Code:

(require 'cl-lib)
(require 'hl-line)
(require 'mwheel)
(require 'view-model)

(defvar-local view-model-list--rows nil
  "The list that this buffer shows.")

(defvar-local view-model-list--top nil
  "The mark on the row of the first line.")

(defvar-local view-model-list--current nil
  "The mark on the row that point is on.")

(defvar-local view-model-list--painted nil
  "What was painted last: (TOP . COUNT), rows.")

(defvar-local view-model-list--painted-seq nil
  "The number of the list's event that was painted last.")

(defvar-local view-model-list-line-function #'view-model-list--line
  "Called with the list, a row's index and the width of the last row's number.
It returns the row's line.")

(defvar-local view-model-list-empty-text "  There are no rows."
  "What is shown of a list without rows.")

(defvar-local view-model-list--chosen nil
  "The kind of the event that was sent last for a row.")

(defun view-model-list--make-map ()
  "Return a new keymap in which the usual keys go through a whole list."
  (let ((map (make-sparse-keymap)))
    (pcase-dolist (`(,usual . ,own)
                   '((next-line . view-model-list-next)
                     (previous-line . view-model-list-previous)
                     (scroll-up-command . view-model-list-scroll-up)
                     (scroll-down-command . view-model-list-scroll-down)
                     (beginning-of-buffer . view-model-list-first)
                     (end-of-buffer . view-model-list-last)
                     (goto-line . view-model-list-go-to)
                     (recenter-top-bottom . view-model-list-recenter)))
      (define-key map (vector 'remap usual) own))
    map))

(defvar view-model-list-mode-map
  (let ((map (view-model-list--make-map)))
    (set-keymap-parent map special-mode-map)
    (define-key map (kbd "n") #'view-model-list-next)
    (define-key map (kbd "p") #'view-model-list-previous)
    (define-key map (kbd "RET") #'view-model-list-choose)
    (define-key map (kbd "s") #'view-model-send-event)
    (define-key map (kbd "v") #'view-model-list-show-row)
    (define-key map (kbd "C-c C-k") #'view-model-interrupt)
    (define-key map (kbd "C-c C-u") #'view-model-unsent)
    map)
  "Keys in a list of a view model.")

(define-derived-mode view-model-list-mode special-mode "View Model List"
  "Show a list of a view model, of which only the lines of the window are here."
  (buffer-disable-undo)
  (setq truncate-lines t
        view-model--overlay (make-overlay (point-min) (point-max) nil nil t)
        header-line-format '(:eval (view-model--header))
        view-model-paint-function #'view-model-list--paint
        view-model-reload-function #'view-model-list--retry
        view-model-status-function #'view-model-list--status
        view-model-keys '(("RET" . "choose") ("v" . "show in full") ("q" . "back")))
  (setq-local revert-buffer-function #'view-model-reload
              mode-line-position '(:eval (view-model-list--place)))
  (view-model-list--set-up)
  (add-hook 'post-command-hook #'view-model-list--follow nil t)
  (add-hook 'kill-buffer-hook #'view-model-list--killed nil t))

(defun view-model-list--set-up ()
  "Let this buffer have the lines of its windows."
  (setq-local scroll-margin 0
              mwheel-scroll-up-function #'view-model-list-scroll-up
              mwheel-scroll-down-function #'view-model-list-scroll-down
              ;; It is seen without being in the selected window.
              hl-line-sticky-flag t)
  (add-hook 'pre-command-hook #'view-model-list--update nil t)
  (add-hook 'window-size-change-functions #'view-model-list--resized nil t)
  (add-hook 'window-buffer-change-functions #'view-model-list--resized nil t)
  (hl-line-mode))

(defun view-model-list--begin (rows)
  "Show ROWS in this buffer, from the first one on."
  (setq view-model-list--rows rows
        view-model-list--top (view-model-rows-add-mark rows 0 t)
        view-model-list--current (view-model-rows-add-mark rows 0 t)))

;;;###autoload
(defun view-model-show-list (name)
  "Show the list NAME of this buffer's view model in a buffer of its own."
  (interactive
   (let* ((view (view-model--of-buffer))
          (description (view-model--describe (view-model--view-server view) (view-model--view-name view)))
          (names (progn (view-model--declare-lists view description)
                        (mapcar #'view-model-rows-name (view-model--declared-lists view)))))
     (unless names (user-error "This view model has no lists"))
     (list (if (cdr names) (completing-read "List: " names nil t nil nil (car names)) (car names)))))
  (let* ((view (view-model--of-buffer))
         (rows (view-model--list view name)))
    (unless (buffer-live-p (view-model-rows-buffer rows))
      (with-current-buffer (generate-new-buffer (format "*%s: %s*" (view-model--view-name view) name))
        (view-model-list-mode)
        (setq view-model--view view)
        (view-model-list--begin rows)
        (setf (view-model-rows-buffer rows) (current-buffer))))
    (pop-to-buffer-same-window (view-model-rows-buffer rows))
    (view-model--paint view)))

(defun view-model-list--killed ()
  "Let go of the list."
  (when-let ((rows view-model-list--rows))
    (view-model-rows-remove-mark rows view-model-list--top)
    (view-model-rows-remove-mark rows view-model-list--current)
    (setf (view-model-rows-buffer rows) nil)
    (view-model-rows-show rows 0 0)))

(defun view-model-list--retry ()
  "Ask again for rows that the server didn't give."
  (view-model-rows-retry view-model-list--rows)
  (view-model-list--paint))

;;; Painting

(defun view-model-list--count ()
  "Return how many rows there are."
  (view-model-rows-count view-model-list--rows))

(defun view-model-list--height ()
  "Return how many rows are shown, or nil where there is no window.
There are as many as the highest window has room for above the
events that wait, but a few in any case."
  (when-let ((windows (get-buffer-window-list nil nil t)))
    (let ((lines (apply #'max (mapcar #'window-body-height windows)))
          (waiting (length (view-model--waiting view-model--view))))
      (max 1 (min lines 5) (if (zerop waiting) lines (- lines waiting 2))))))

(defun view-model-list--position ()
  "Return the index of the row that point is on."
  (view-model-rows-mark-index view-model-list--current))

(defun view-model-list--paint ()
  "Show the rows that the window has room for.
Nobody sees a list without a window, and its rows aren't asked for."
  (let ((rows view-model-list--rows)
        (height (view-model-list--height)))
    (if (null height)
        (view-model-rows-show rows 0 0)
      (view-model-list--settle height)
      (let* ((top (view-model-rows-mark-index view-model-list--top))
             (line (- (view-model-list--position) top))
             (column (current-column))
             (inhibit-read-only t))
        (setq view-model-list--painted (cons top (max 0 (min height (- (view-model-list--count) top))))
              view-model-list--painted-seq (view-model-rows-seq rows))
        (erase-buffer)
        (if (zerop (view-model-list--count))
            (insert (propertize view-model-list-empty-text 'face 'shadow))
          (cl-loop with width = (length (number-to-string (view-model-list--count)))
                   for index from top repeat (cdr view-model-list--painted)
                   unless (= index top) do (insert "\n")
                   do (insert (funcall view-model-list-line-function rows index width))))
        (goto-char (point-min))
        (forward-line line)
        (move-to-column column)
        (dolist (window (get-buffer-window-list nil nil t))
          (set-window-start window (point-min) t)
          (set-window-point window (point)))
        (when (bound-and-true-p hl-line-mode) (hl-line-highlight))
        (view-model-rows-show rows top height)))))

(defun view-model-list--settle (height)
  "Let HEIGHT lines show the row that point is on.
Where that row has moved out of them, it stays on its line."
  (let* ((rows view-model-list--rows)
         (current (view-model-list--position))
         (top (view-model-rows-mark-index view-model-list--top))
         (top (if (< -1 (- current top) height)
                  top
                (- current (min (1- height) (max 0 (1- (line-number-at-pos)))))))
         (top (max 0 (min top (- (view-model-list--count) height)))))
    (unless (= top (view-model-rows-mark-index view-model-list--top))
      (view-model-rows-move-mark rows view-model-list--top top))))

(defun view-model-list--line (rows index width)
  "Return the line of the row of ROWS at INDEX, whose number has WIDTH digits."
  (concat (propertize (string-pad (number-to-string (1+ index)) width nil t) 'face 'shadow)
          "  "
          (if (view-model-rows-is-here rows index)
              (let ((row (view-model-rows-row rows index)))
                (if (keywordp (car-safe row))
                    (view-model--event-text row)
                  (truncate-string-to-width (view-model--value-text row) 1000 nil nil t)))
            (propertize "..." 'face 'shadow))))

(defun view-model-list--place ()
  "Say which row point is on, for the mode line."
  (let ((count (view-model-list--count)) (index (view-model-list--position)))
    (if (zerop count)
        "Empty"
      (format "%d%%%% L%d" (/ (* 100 (1+ index)) count) (1+ index)))))

(defun view-model-list--status ()
  "Say which rows are on screen, or what happens."
  (let ((name (view-model-rows-name view-model-list--rows))
        (top (car view-model-list--painted)) (count (cdr view-model-list--painted)))
    (concat name
            (cond ((null count) "")
                  ((zerop count) ": no rows")
                  (t (format " %d-%d of %d" (1+ top) (+ top count) (view-model-list--count))))
            (when-let ((problem (view-model-rows-problem view-model-list--rows)))
              (propertize (concat ": " problem "; g tries again") 'face 'view-model-problem)))))

(defun view-model-list--resized (window)
  "Show as many rows as WINDOW has lines.
It has another size now, or another buffer."
  (when (window-live-p window)
    (with-current-buffer (window-buffer window)
      (when view-model-list--rows (funcall view-model-paint-function)))))

;;; Moving

(defun view-model-list--update ()
  "Paint what came, if anything did, and return whether that was so."
  (when (or (view-model--view-paint-timer view-model--view)
            (not (eql view-model-list--painted-seq (view-model-rows-seq view-model-list--rows))))
    (view-model--paint view-model--view)
    t))

(defun view-model-list--follow ()
  "Take note that a command, such as the mouse, moved point to another line.
Where rows came meanwhile, the lines say nothing of where they are now."
  (unless (view-model-list--update)
    (when-let ((painted view-model-list--painted) ((> (cdr painted) 0)))
      (let ((index (+ (car painted) (min (1- (line-number-at-pos)) (1- (cdr painted))))))
        (unless (eql index (view-model-list--position))
          (view-model-rows-move-mark view-model-list--rows view-model-list--current index))))))

(defun view-model-list--go (index &optional top)
  "Go to the row at INDEX, with that at TOP on the first line.
Without TOP, the list is scrolled no further than it must be."
  (view-model-list--update)
  (let* ((rows view-model-list--rows)
         (index (max 0 (min index (1- (view-model-list--count)))))
         (height (or (view-model-list--height) 1))
         (now (view-model-rows-mark-index view-model-list--top))
         (top (or top now))
         (top (max 0 (min (max top (- index (1- height))) index (- (view-model-list--count) height)))))
    (let ((is-there (and (= index (view-model-list--position)) (= top now))))
      ;; Point stays here from now on, also where the row that it was on may come back.
      (unless (and is-there (zerop (view-model-list--count)))
        (view-model-rows-move-mark rows view-model-list--top top)
        (view-model-rows-move-mark rows view-model-list--current index))
      (when is-there (signal (if (zerop index) 'beginning-of-buffer 'end-of-buffer) nil)))
    (funcall view-model-paint-function)))

(defun view-model-list-next (&optional count)
  "Go to the next row, or COUNT rows further."
  (interactive "p" view-model-list-mode)
  (view-model-list--go (+ (view-model-list--position) (or count 1))))

(defun view-model-list-previous (&optional count)
  "Go to the row before this one, or COUNT rows back."
  (interactive "p" view-model-list-mode)
  (view-model-list-next (- (or count 1))))

(defun view-model-list-scroll-up (&optional lines)
  "Show the next screen, or scroll by LINES."
  (interactive "P" view-model-list-mode)
  (view-model-list--scroll (if lines (prefix-numeric-value lines) (view-model-list--screen))))

(defun view-model-list-scroll-down (&optional lines)
  "Show the screen before this one, or scroll back by LINES."
  (interactive "P" view-model-list-mode)
  (view-model-list--scroll (- (if lines (prefix-numeric-value lines) (view-model-list--screen)))))

(defun view-model-list--screen ()
  "Return by how many lines a screen is scrolled."
  (max 1 (- (or (view-model-list--height) 1) next-screen-context-lines)))

(defun view-model-list--scroll (lines)
  "Scroll by LINES, back where that is negative.
At an end of the list, point goes there."
  (view-model-list--update)
  (let* ((height (or (view-model-list--height) 1))
         (last (max 0 (- (view-model-list--count) height)))
         (now (view-model-rows-mark-index view-model-list--top))
         (top (max 0 (min last (+ now lines))))
         (current (view-model-list--position)))
    (cond ((/= top now) (view-model-list--go (max top (min current (+ top height -1))) top))
          ((< lines 0) (view-model-list--go 0))
          (t (view-model-list--go (1- (view-model-list--count)))))))

(defun view-model-list-first (&optional tenths)
  "Go to the first row, or TENTHS of the list below it."
  (interactive "P" view-model-list-mode)
  (let ((index (if tenths (/ (* (prefix-numeric-value tenths) (view-model-list--count)) 10) 0)))
    (ignore-error (beginning-of-buffer end-of-buffer)
      (view-model-list--go index index))))

(defun view-model-list-last (&optional tenths)
  "Go to the last row, or TENTHS of the list above it."
  (interactive "P" view-model-list-mode)
  (let ((above (if tenths (/ (* (prefix-numeric-value tenths) (view-model-list--count)) 10) 0)))
    (ignore-error (beginning-of-buffer end-of-buffer)
      (view-model-list--go (- (view-model-list--count) 1 above)))))

(defun view-model-list-go-to (number)
  "Go to the row with NUMBER; the first is 1."
  (interactive
   (list (if current-prefix-arg
             (prefix-numeric-value current-prefix-arg)
           (read-number (format "Row (1 to %d): " (view-model-list--count)))))
   view-model-list-mode)
  (let ((index (1- (truncate number))))
    (unless (< -1 index (view-model-list--count)) (user-error "There is no row %s" number))
    (unless (= index (view-model-list--position))
      (view-model-list--go index (- index (/ (or (view-model-list--height) 1) 2))))))

(defun view-model-list-recenter (&optional _)
  "Scroll the list so that this row is in the middle of the window."
  (interactive "P" view-model-list-mode)
  (let ((index (view-model-list--position)))
    (ignore-error (beginning-of-buffer end-of-buffer)
      (view-model-list--go index (- index (/ (or (view-model-list--height) 1) 2))))))

;;; Choosing

(defun view-model-list--index ()
  "Return the index of the row that point is on.
Signal an error where there is none.  Where any row may be
another by now, it has to come first."
  (when (zerop (view-model-list--count)) (user-error "There are no rows"))
  (let ((index (view-model-list--position)))
    (when (and (view-model-rows-mark-is-lost view-model-list--current)
               (not (view-model-rows-is-here view-model-list--rows index)))
      (user-error "This row isn't here yet"))
    index))

(defun view-model-list--this ()
  "Return the index of the row on this line.
Signal an error where the row isn't here."
  (when (zerop (view-model-list--count)) (user-error "There are no rows"))
  (let ((index (view-model-list--position)))
    (unless (view-model-rows-is-here view-model-list--rows index) (user-error "This row isn't here yet"))
    index))

(defun view-model-list-show-row ()
  "Show the row on this line in full."
  (interactive nil view-model-list-mode)
  (view-model--show-in-full (view-model-rows-row view-model-list--rows (view-model-list--this))))

(defun view-model-list--takers (description identity)
  "Return an alist of the events in DESCRIPTION that name a row.
With each is its schema.  They have a member `index', or `id'
where the row has IDENTITY."
  (seq-filter (lambda (entry)
                (let ((members (plist-get (cdr entry) :properties)))
                  (or (plist-member members :index) (and identity (plist-member members :id)))))
              (view-model--kinds (plist-get description :viewEvent) (plist-get description :$defs))))

(defun view-model-list-choose ()
  "Send an event for the row on this line.
It is one that has a member `index', or `id' where the rows have
identities.  That is filled in, and others are asked for.  Where
the view model takes no such event, or you may only look, show the
row in full."
  (interactive nil view-model-list-mode)
  (let* ((rows view-model-list--rows)
         (index (view-model-list--this))
         (identity (view-model-rows-identity rows (view-model-rows-row rows index)))
         (view (view-model--of-buffer))
         (description (view-model--describe (view-model--view-server view) (view-model--view-name view)))
         (takers (view-model-list--takers description identity))
         ;; While the user is asked, the row may move.
         (mark (view-model-rows-add-mark rows index nil)))
    (unwind-protect
        (if (or (null takers) (view-model--looks-only view))
            (view-model-list-show-row)
          (view-model--send-answer
           (lambda () (view-model-list--read takers description mark identity))))
      (view-model-rows-remove-mark rows mark))))

(defun view-model-list--read (takers description mark identity)
  "Ask for one of TAKERS and its members, as in DESCRIPTION.
It is for the row at MARK, which has IDENTITY."
  (let* ((default (if (assoc view-model-list--chosen takers) view-model-list--chosen (caar takers)))
         (kind (if (cdr takers)
                   (view-model--read-choice (format-prompt "Send for this row" default) takers default)
                 default))
         (schema (cdr (assoc kind takers)))
         (members (plist-get schema :properties))
         (filled (append (when (plist-member members :index) '(:index))
                         (when (and identity (plist-member members :id)) '(:id))))
         (others (cl-loop for (key member) on members by #'cddr
                          unless (memq key filled) append (list key member)))
         (given (view-model--read-members (list :properties others :required (plist-get schema :required))
                                          (plist-get description :$defs) t))
         (index (or (view-model-rows-mark-index mark) (user-error "It isn't sent: the row has gone meanwhile"))))
    (setq view-model-list--chosen kind)
    (append (list :kind kind)
            (when (memq :index filled) (list :index index))
            (when (memq :id filled) (list :id identity))
            given)))

(provide 'view-model-list)

;;; view-model-list.el ends here
