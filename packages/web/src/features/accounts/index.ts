/** Exports for later features and `app/slots.ts`. */
export { CreateAccount, flagSection, MailTab } from './parts.ts'
export { type Account, accountPath, idOf } from './queries.ts'
export { type AccountProps, type AccountSection, accountSections, accountTabs } from './slots.ts'
