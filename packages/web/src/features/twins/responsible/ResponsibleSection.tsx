import type { UserRelation } from '@leitstand/contract/userRelations'
import { Button, Select, Text } from '@mantine/core'
import { IconPlus, IconUser, IconUserOff, IconX } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { notifyError } from '../../../ui/feedback/notify.ts'
import { EntityPicker } from '../../../ui/forms/EntityPicker.tsx'
import { RemoveButton } from '../../../ui/forms/RemoveButton.tsx'
import { useFieldFaults } from '../../../ui/forms/useFieldFaults.ts'
import { Section } from '../../../ui/page/Section.tsx'
import classes from './responsible.module.css'

interface ResponsibleProps {
  /** the twin or device */
  objectId: number
  editable: boolean
}

/**
 * Users responsible for a twin or device. Each change is stored immediately, independent of the surrounding
 * form.
 */
export function ResponsibleSection({ objectId, editable }: ResponsibleProps) {
  const { t } = useTranslation()
  const list = useQuery(api.userRelation.list.queryOptions({ input: { id: objectId } }))
  return (
    <Section title={t('responsible.title')} description={t('responsible.text')}>
      {list.isError && !list.data ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} compact />
      ) : list.data ? (
        <>
          <People items={list.data.items} objectId={objectId} editable={editable} />
          {editable ? <Add objectId={objectId} /> : null}
        </>
      ) : (
        <Loading lines={2} />
      )}
    </Section>
  )
}

function useChanged(objectId: number) {
  const cache = useQueryClient()
  return () => cache.invalidateQueries({ queryKey: api.userRelation.list.key({ input: { id: objectId } }) })
}

function People({ items, objectId, editable }: ResponsibleProps & { items: readonly UserRelation[] }) {
  const { t } = useTranslation()
  const changed = useChanged(objectId)
  const [busy, setBusy] = useState(false)
  const remove = async ({ userId, responsibility }: UserRelation) => {
    setBusy(true)
    try {
      await client.userRelation.delete({ id: objectId, userId, responsibility })
    } catch (error) {
      notifyError(error)
    }
    await changed()
    setBusy(false)
  }
  if (items.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('responsible.none')}
      </Text>
    )
  return (
    <ul className={classes.list}>
      {items.map((relation) => (
        <li key={`${relation.userId}-${relation.responsibility}`} className={classes.row}>
          <Icon of={relation.active ? IconUser : IconUserOff} />
          <span className={classes.who}>
            {relation.name}
            <span className={classes.what}>
              {t(`responsible.responsibility.${relation.responsibility}`)}
              {relation.active ? '' : ` · ${t('responsible.gone')}`}
            </span>
          </span>
          {editable ? (
            <RemoveButton
              icon={IconX}
              disabled={busy}
              label={t('responsible.remove', {
                name: relation.name,
                what: t(`responsible.responsibility.${relation.responsibility}`),
              })}
              onClick={() => void remove(relation)}
            />
          ) : null}
        </li>
      ))}
    </ul>
  )
}

function Add({ objectId }: { objectId: number }) {
  const { t } = useTranslation()
  const changed = useChanged(objectId)
  const [userId, setUserId] = useState<string | null>(null)
  const [responsibility, setResponsibility] = useState('1')
  const { faults, attempt, place, restart } = useFieldFaults<{ userId: string | null }>(
    () => ({ userId }),
    (entered) => (entered.userId === null ? { userId: t('validation.userRequired') } : {}),
  )
  const [busy, setBusy] = useState(false)
  const load = async (search: string) => {
    const { items } = await client.userRelation.candidates({ id: objectId, search: search || undefined })
    return items.map((user) => ({ value: String(user.userId), label: user.name }))
  }
  const add = async () => {
    if (Object.keys(attempt()).length > 0) return
    setBusy(true)
    try {
      await client.userRelation.create({
        id: objectId,
        userId: Number(userId),
        responsibility: Number(responsibility),
      })
      setUserId(null)
      restart({ userId: null })
      await changed()
    } catch (error) {
      if (place(error)) notifyError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className={classes.add}>
      <EntityPicker
        label={t('responsible.user')}
        placeholder={t('responsible.search')}
        value={userId}
        onChange={setUserId}
        load={load}
        error={faults.userId}
      />
      <Select
        label={t('responsible.as')}
        data={['1', '0'].map((code) => ({ value: code, label: t(`responsible.responsibility.${code}`) }))}
        value={responsibility}
        onChange={(code) => setResponsibility(code ?? '1')}
        allowDeselect={false}
      />
      <Button
        variant="default"
        loading={busy}
        leftSection={<Icon of={IconPlus} size={16} />}
        onClick={() => void add()}
      >
        {t('responsible.add')}
      </Button>
    </div>
  )
}
