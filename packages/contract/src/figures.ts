import * as z from 'zod'
import { Id, operation } from './common.ts'
import { Value } from './series.ts'
import { systemFigures } from './states/sources/system.ts'

/** Figures of the platform that states of twins can show. */
export const systemFigure = {
  /** The value that a state of this twin with the figure would have now. `freeDisk` is for administrators of the installation. */
  value: operation
    .meta({
      rule: {
        any: [
          {
            all: [
              { subject: 'DigitalTwin', action: 'read' },
              { subject: 'VirtualDevice', action: 'read' },
            ],
          },
        ],
      },
      clientTimeoutMs: 25_000,
    })
    .route({
      method: 'GET',
      path: '/digitaltwin/{id}/figures/{figure}',
      tags: ['states'],
      summary: 'Preview a figure of the platform',
    })
    .input(z.object({ id: Id, figure: z.enum(systemFigures) }))
    .output(z.object({ value: Value.nullable() })),
}
