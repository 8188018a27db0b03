/** What the user typed cannot be carried out as typed. Ends the program with 64 and points at the help. */
export class UsageError extends Error {
  /** Whose help to point at; null: the whole program's. */
  readonly command: string | null
  constructor(message: string, command: string | null = null) {
    super(message)
    this.command = command
  }
}
