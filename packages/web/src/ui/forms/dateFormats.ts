/** How a day is written in a field: as in texts of that language, in the letters of dayjs. */
export function dayFormat(language: string): string {
  return language === 'de' ? 'DD.MM.YYYY' : 'D MMM YYYY'
}

/** The same with the time. */
export function dayTimeFormat(language: string): string {
  return `${dayFormat(language)} HH:mm`
}
