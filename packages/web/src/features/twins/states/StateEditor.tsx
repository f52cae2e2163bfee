import type { State } from '@leitstand/contract/states'
import { Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { client } from '../../../lib/api.ts'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { UserList } from '../../objects/index.ts'
import { type Category, emptyState, type StateForm, toForm, toInput } from './form.ts'
import { StateSheet } from './StateSheet.tsx'
import { isAggregate } from './sources/index.ts'
import { unitChangeOf } from './unitChange.ts'
import { useStatesChanged } from './useStates.ts'

interface StateEditorProps {
  objectId: number
  accountId: number
  category: Category
  /** absent: a new state */
  state?: State
  onClose: () => void
}

/** The answer, if it was asked. */
function unitChangeFor(state: State, { unit, unitChange, valueType, source }: StateForm): 'label' | 'values' {
  const isComputed = isAggregate(state.source) || isAggregate(source)
  return unitChangeOf(state.unit, unit, { isComputed, valueType }) === 'convertible' ? unitChange : 'label'
}

/** Sheet that creates or changes a state of a twin or device. */
export function StateEditor({ objectId, accountId, category, state, onClose }: StateEditorProps) {
  const { t } = useTranslation()
  const changed = useStatesChanged(objectId)
  return (
    <StateSheet
      title={state ? t('states.editTitle', { title: state.title }) : t('states.createTitle')}
      initial={
        state
          ? toForm(state)
          : { ...emptyState, source: category === 'virtualDevice' ? 'connector' : 'virtual-device-aggregate' }
      }
      accountId={accountId}
      objectId={objectId}
      category={category}
      {...(state ? { state } : {})}
      isKeyFixed={state !== undefined}
      saveLabel={t(state ? 'common.save' : 'states.create')}
      store={async (values) => {
        const input = toInput(values)
        if (state)
          await client.state.update({
            id: state.id,
            version: state.version,
            unitChange: unitChangeFor(state, values),
            ...input,
          })
        else await client.state.create({ dtwinId: objectId, key: values.key, ...input })
        notifySuccess(t(state ? 'states.saved' : 'states.created', { title: input.title }))
        await changed()
      }}
      onClose={onClose}
    >
      {state ? (
        <section aria-labelledby="state-uses">
          <Title order={3} id="state-uses" mb={4}>
            {t('uses.title')}
          </Title>
          <UserList of="state" id={state.id} />
        </section>
      ) : null}
    </StateSheet>
  )
}
