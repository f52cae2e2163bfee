/** Usage of objects, for all features. */

export { dependenciesOf } from './ask.ts'
export { UsedBy, UserList } from './UsedBy.tsx'
