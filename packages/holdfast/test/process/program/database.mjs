/** Opens a SQLite file with the driver of this Node, or with the one that is named: `node:sqlite` or `libsql`. */
export async function openDatabase(file, driver) {
  if (driver !== 'libsql') {
    const builtIn = await import('node:sqlite').catch(() => null)
    if (builtIn !== null) return new builtIn.DatabaseSync(file)
    if (driver !== undefined) throw new Error(`${driver} is not in Node ${process.version}`)
  }
  const { default: Database } = await import('libsql')
  return new Database(file)
}
