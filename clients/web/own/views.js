// In place of this file, a server gives the one of its own views: of the folder that `pageViews` or the option --views names.
// It stands for those of the examples, too, in executables that have none.
export default {};
