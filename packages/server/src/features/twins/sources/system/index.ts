import { plain } from '../plain.ts'

export const system = plain({ isSettable: false })
