/**
 * Normalises a user name or e-mail for comparison, like `login_name` in the database: ignores Unicode forms,
 * surrounding spaces and letter case.
 */
export function loginName(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase().normalize('NFKC')
}
