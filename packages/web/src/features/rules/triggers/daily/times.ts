interface TimeOfDay {
  hour: number
  minute: number
}

/** A time of day as an input field has it: `07:05`. */
export function timeText({ hour, minute }: TimeOfDay): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
}

/** @returns null: the text is not a time */
export function timeOf(text: string): TimeOfDay | null {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)/.exec(text) ?? []
  return hour === undefined || minute === undefined ? null : { hour: Number(hour), minute: Number(minute) }
}
