import { copyLimits } from '@leitstand/contract/copies'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { sizeOfFiles } from '../files/index.ts'
import { bothScopes, listeningSources, readScopes, stateScopes } from '../twins/index.ts'
import { fateOf } from './fate.ts'
import {
  countDependent,
  countParts,
  listHiddenRules,
  listSubtree,
  pairsOf,
  type SubtreeTwin,
} from './store.ts'

/**
 * The twins of a copy, parents before children; at most one more than allowed.
 * @throws AppError DTWIN_NOT_FOUND
 */
export async function twinsToCopy(
  db: Executor,
  caller: Caller,
  { id, descendants }: { id: number; descendants: boolean },
): Promise<SubtreeTwin[]> {
  const limit = descendants ? copyLimits.twinsMax + 1 : 1
  const twins = await listSubtree(db, readScopes(caller, 'digitalTwin'), id, limit)
  if (twins.length === 0) throw new AppError('DTWIN_NOT_FOUND', { id })
  return twins
}

/** What copies of these twins would hold. */
export async function contentsOf(db: Executor, caller: Caller, ids: readonly number[]) {
  const scopes = stateScopes(caller)
  const { listening, ...amounts } = await countParts(db, ids, listeningSources)
  const computed = await countDependent(db, scopes, ids)
  const countOf = (fate: ReturnType<typeof fateOf>) =>
    computed
      .filter((each) => fateOf(each, { bindings: false }) === fate)
      .reduce((sum, { count }) => sum + count, 0)
  const copied = pairsOf(ids.map((id) => ({ from: id, to: id })))
  const hidden = await listHiddenRules(db, { read: scopes, write: bothScopes(caller, 'write') }, ids, copied)
  const { files, bytes: fileBytes } = await sizeOfFiles(db, 'digitalTwin', ids)
  return {
    ...amounts,
    boundStates: listening + countOf('unbound'),
    hiddenStates: countOf('hidden'),
    hiddenRules: hidden.length,
    files,
    fileBytes,
  }
}
