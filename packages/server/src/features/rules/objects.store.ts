import type { FeatureObjects } from '../objects/index.ts'

export const ruleObjects = {
  kinds: { rule: { table: 'rules', subject: 'Rule', withAccount: 'owner' } },
} as const satisfies FeatureObjects<'rule'>
