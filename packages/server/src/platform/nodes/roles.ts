import { type NodeRole, nodeRoles } from '@leitstand/contract/nodes'

export const roles = nodeRoles
export type Role = NodeRole
