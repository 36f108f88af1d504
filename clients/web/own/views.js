// In place of this file, a server gives the one of the folder that its option --views names.
export default {};
