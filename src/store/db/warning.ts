/** Something about a palace that its user should know, and that keeps nobody from using it. */
export interface Warning {
  text: string;
  /** What to do about it. */
  hint: string;
}
