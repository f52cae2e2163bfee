import { type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { StatePicker } from '../twins/index.ts'

export interface RuleStatePickerProps {
  label: string
  value: number | null
  onChange: (id: number | null) => void
  error?: ReactNode
}

/** The states a rule may read and set, by their ids. */
export interface RuleStates {
  /** renders the picker for one of them */
  pick: (props: RuleStatePickerProps) => ReactNode
  keyOf: (stateId: number) => Promise<string>
}

/** States of all twins and devices; those of this object are listed first. */
export function useObjectStates(objectId: number): RuleStates {
  const { t } = useTranslation()
  return useMemo(
    () => ({
      pick: (props) => (
        <StatePicker {...props} required placeholder={t('states.searchState')} preferObjectId={objectId} />
      ),
      keyOf: async (id) => (await client.state.get({ id })).key,
    }),
    [objectId, t],
  )
}
