/**
 * The form in which a user name or e-mail is compared, as `login_name` of the database makes it: forms of Unicode, spaces
 * around it, upper and lower case are alike.
 */
export function loginName(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase().normalize('NFKC')
}
