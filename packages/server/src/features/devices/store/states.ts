import type { ValueType } from '@leitstand/contract/states'
import { sql } from 'kysely'
import type { Executor } from '../../../platform/db/index.ts'

/** A state fed by a packet variable. */
export interface FedState {
  id: number
  key: string
  title: string
  variable: string
  valueType: ValueType
  /** of its last value; null while there is none */
  time: Date | null
  /** whether a transformer is applied to the variable */
  transformed: boolean
}

/** The states of a device that are fed by packets, in order. */
export async function listFedStates(db: Executor, deviceId: number): Promise<FedState[]> {
  const { rows } = await sql<FedState>`
    select s.id, s.key, s.title, s.variable, s.value_type as "valueType", c.time,
      s.transformer is not null as transformed
    from states s left join state_current c on c.state_id = s.id
    where s.twin_id = ${deviceId} and s.source = 'connector' and s.variable is not null
    order by s.position, s.id`.execute(db)
  return rows
}
