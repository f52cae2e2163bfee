/** What uses a thing, for the pages of all features. */

export { dependenciesOf } from './ask.ts'
export { UsedBy, UserList } from './UsedBy.tsx'
