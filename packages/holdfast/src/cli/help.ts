/**
 * The help texts, which are the manual. Long because a reader of `--help` should need nothing else.
 */
import { COMMANDS, type CommandName } from './command-names.ts'

const GENERAL = `holdfast: run commands under a lock that the processes of a machine share

Usage
  holdfast run NAME [flags] -- COMMAND [ARGS]   run a command while holding the lock
  holdfast acquire NAME --max-hold 10m          take a lock that outlives this program; prints its id
  holdfast release NAME --id ID                 give back what acquire took
  holdfast release NAME --force [--id ID]       end whoever holds it
  holdfast ls [PREFIX]                          list what is held and waited for
  holdfast show NAME                            who holds NAME, and who waits for it

  holdfast COMMAND --help                       all about one command

Example
  holdfast run nightly --wait 0 -- ./backup.sh  run it, unless it is running already

Flags of every command
  --url URL          the store; default: HOLDFAST_URL, else a SQLite file in your state folder,
                     which is enough for the processes of one user on one machine
  --namespace TEXT   names in different namespaces never meet; default: HOLDFAST_NAMESPACE, else "default"
  --ttl TIME         how long others wait after the holder died; default 15s, from 1s
  --max-ttl TIME     what the whole namespace was set up with, if not 1m
  --quarantine       the namespace was set up with "quarantine"
  --json             one JSON document instead of text; fences are decimal strings
  --help, --version

A TIME is digits and a unit: 250ms, 5s, 2m, 1h, 7d.
NAME is any text of 1 to 512 bytes. "holdfast run x" and mutex('x') in code exclude each other.

Exit codes
  0    done; run: the command's own exit code, or 128 + n if signal n ended it
  64   a flag or an argument is wrong
  69   the store is unavailable, or refuses
  75   busy: not granted within --wait
  76   the lock was lost; release --id: it had ended before
  126  the command cannot be executed        127  there is no such command
  130  interrupted while waiting (128 + the number of the signal)
`

const TAKE_FLAGS = `  --wait TIME        how long to stand in line: a time, 0 (do not wait) or forever; default 30s
  --shared           a read lock: shared with other --shared, excludes everything else
  --permits K/N      K permits of a semaphore of N; semaphores and locks of one name never meet
  --label TEXT       shown to whoever finds it held; at most 256 bytes`

const COMMAND_HELP: Readonly<Record<CommandName, string>> = {
  run: `holdfast run NAME [flags] -- COMMAND [ARGS]

Waits for the lock, runs COMMAND while it is held, releases it, and exits as COMMAND did. No shell is involved;
for one, say: -- sh -c '...'

Flags
${TAKE_FLAGS}
                     default: the command line, shortened
  --max-hold TIME    a hard end: the command is ended before so much time is over
  --grace TIME       how long before an end the command is told by SIGTERM; default 5s. At most a third of --ttl
                     counts if the lock is lost or cannot be renewed, at most half of --max-hold for the hard end
  --conflict-exit-code N   exit with N instead of 75 when busy

What COMMAND finds in its environment
  HOLDFAST_NAME      NAME
  HOLDFAST_FENCE     rises with every exclusive holder of NAME; give it to what you write to, and let that refuse
                     smaller ones. Decimal, up to 2^63: not a number for JavaScript. Absent with --permits
  HOLDFAST_DEADLINE  with --max-hold the hard end, else until when the lock is safe if it is never renewed (it is,
                     every third of --ttl); as in 2030-01-31T09:30:00.000Z

Signals
  COMMAND runs in a process group of its own. INT, TERM, HUP, QUIT, USR1, USR2 and WINCH go to that group; Ctrl-Z
  stops it together with holdfast. While waiting, INT, TERM, HUP and QUIT leave the line.

When the lock is lost
  The group gets SIGTERM, then SIGKILL before anybody else can be granted the lock, and holdfast exits with 76:
    store out of reach    SIGTERM at grace before the last known end of the lock, SIGKILL 100 ms before that end
    --max-hold over       the same, before the hard end
    released by force     SIGTERM when holdfast learns of it (within a third of --ttl), SIGKILL after the grace; the
                          next holder may be there already
  If holdfast itself is killed or stopped, a watchdog process does the same in its place. A process that leaves the
  group (setsid, a daemon) is out of reach; what COMMAND leaves running when it ends is left alone, without the lock.

When busy, the holder and the store are named on stderr. With --json one line on stderr tells the outcome, because
stdout is COMMAND's.

Examples
  holdfast run nightly --wait 0 --max-hold 2h -- ./backup.sh
  holdfast run db --shared -- pg_dump shop
  holdfast run encode --permits 1/4 --wait forever -- ffmpeg -i in.mov out.mp4
`,
  acquire: `holdfast acquire NAME --max-hold TIME [flags]

Takes the lock and leaves it taken: it ends by "holdfast release NAME --id ID" or when --max-hold is over, and
nobody renews it. Prints the id, and only the id, on stdout.

Flags
  --max-hold TIME    when it ends by itself; required
${TAKE_FLAGS}

Example
  id=$(holdfast acquire deploy --max-hold 10m) || exit
  ./deploy.sh; holdfast release deploy --id "$id"
`,
  release: `holdfast release NAME --id ID
holdfast release NAME --force [--id ID]

Gives back a lock that acquire took. Exits with 76 if it had ended before, so that a script learns that it worked
without the lock.

Flags
  --id ID            what acquire printed, or what show lists
  --force            ends the holder with that id, or without --id every holder of NAME of every kind; waiters stay,
                     and the first of them is served. A holder that lives learns of it within a third of its ttl and
                     may overlap with the next one until then
`,
  ls: `holdfast ls [PREFIX]

Lists the names that are held or waited for and begin with PREFIX. On a terminal a table; else one line a name,
fields separated by tabs: name, kind, holders, waiters, then host, pid, since, until and label of the first holder.
"until" is the end by --max-hold, with "detached" behind it for what acquire took. The store is named on stderr, or in
the document with --json; so is that nothing is held.
`,
  show: `holdfast show NAME

Lists who holds NAME and who waits for it, in order. On a terminal a table; else one line each, fields separated by
tabs: kind, state, id, fence, host, pid, since, until, label. "until" is the end by --max-hold, with "detached" behind
it for what acquire took. The store is named on stderr, or in the document with --json; so is that nobody holds it,
which is no error: exit code 0, no lines.
`,
}

export function helpText(command: string | null): string {
  const known = COMMANDS.find((name) => name === command)
  return known === undefined
    ? GENERAL
    : `${COMMAND_HELP[known]}\nFlags of every command, TIME and exit codes: holdfast --help\n`
}
