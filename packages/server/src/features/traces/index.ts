import type { Context } from '../../platform/context.ts'
import type { RulesFeature } from '../rules/index.ts'
import { traceRoutes } from './routes.ts'

/** What became of a packet, and where a value, a mail, an alarm or an execution came from. Only reads. */
export function registerTraces(
  ctx: Context,
  { rules }: { rules: Pick<RulesFeature, 'outcomesOf' | 'writeQuiet'> },
) {
  return { routes: { trace: traceRoutes(ctx, rules) } }
}
