/** A moment of the wall clock as text in UTC, such as 2030-01-31T09:30:00.000Z. */
const DAY_MS = 86_400_000

export function momentText(wallMs: number): string {
  const days = Math.floor(wallMs / DAY_MS)
  const rest = Math.floor(wallMs - days * DAY_MS)
  const { year, month, day } = civil(days)
  const clock = [Math.floor(rest / 3_600_000), Math.floor(rest / 60_000) % 60, Math.floor(rest / 1000) % 60]
  return `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}T${clock.map((part) => padded(part, 2)).join(':')}.${padded(rest % 1000, 3)}Z`
}

/** Days since 1970 as a date: howardhinnant.github.io/date_algorithms.html, civil_from_days. */
function civil(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  }
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, '0')
}
