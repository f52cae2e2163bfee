import type { PushAction } from '@leitstand/contract/rules/actions/push'
import { MultiSelect, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../../lib/api.ts'
import { useUser } from '../../../../lib/session.ts'
import { RouterLink } from '../../../../ui/page/RouterLink.tsx'
import { PlaceholderHint } from '../PlaceholderHint.tsx'
import { TextField } from '../TextField.tsx'
import type { FormProps } from '../types.ts'

export default function PushForm({ objectId, action, aliases, faultAt, onChange }: FormProps<PushAction>) {
  const { t } = useTranslation()
  const user = useUser()
  const found = useQuery({
    ...api.userRelation.candidates.queryOptions({ input: { id: objectId ?? 0 } }),
    enabled: objectId !== undefined,
  })
  const people = new Map([
    [user.id, user.username],
    ...(found.data?.items ?? []).map(({ userId, name }) => [userId, name] as const),
  ])
  for (const id of action.userIds) if (!people.has(id)) people.set(id, t('rules.hiddenUser', { id }))
  return (
    <>
      <MultiSelect
        label={t('rules.pushRecipients')}
        required
        searchable
        maxValues={50}
        data={[...people].map(([id, name]) => ({ value: String(id), label: name }))}
        value={action.userIds.map(String)}
        onChange={(ids) => onChange({ ...action, userIds: ids.map(Number) })}
        error={faultAt('userIds')}
        nothingFoundMessage={t('list.nothingMatches')}
      />
      <Text size="xs" c="dimmed">
        {t('rules.pushHint')} <RouterLink to="/user-profile">{t('rules.pushHere')}</RouterLink>
      </Text>
      <TextField
        label={t('rules.subject')}
        required
        value={action.title}
        maxLength={100}
        aliases={aliases}
        error={faultAt('title')}
        onChange={(title) => onChange({ ...action, title })}
      />
      <TextField
        label={t('rules.body')}
        multiline
        value={action.body}
        maxLength={500}
        aliases={aliases}
        error={faultAt('body')}
        onChange={(body) => onChange({ ...action, body })}
      />
      <PlaceholderHint aliases={aliases} />
    </>
  )
}
