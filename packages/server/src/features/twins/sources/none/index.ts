import { plain } from '../plain.ts'

export const none = plain({ isSettable: true })
