/** Link that calls a number, null while it is none. Digits only: what people write between them is no part of a number. */
export function phoneLink(phone: string): string | null {
  const digits = phone.replace(/\(0\)/g, '').replace(/[^+\d]/g, '')
  return /^\+?\d{3,}$/.test(digits) ? `tel:${digits}` : null
}

/** Link that writes to an address, null while it is none. */
export function mailLink(email: string): string | null {
  return /^[^\s@?&]+@[^\s@?&]+$/.test(email) ? `mailto:${email}` : null
}
