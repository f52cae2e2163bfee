import { plain } from '../plain.ts'

export const datarouting = plain({ isSettable: true })
