import { Button, Checkbox, Group, NumberInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconDeviceTv, IconSearch, IconSpeakerphone } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { useUrlSearch } from '../../../lib/url.ts'
import { StatusBadge } from '../../../ui/display/Badges.tsx'
import { FavoriteStar } from '../../../ui/display/FavoriteStar.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { levelIcons, levelTones } from '../levels.ts'
import { secondsDefault, secondsMax, secondsMin, shownMax } from '../pure.ts'
import classes from './monitor.module.css'

const listedMax = 100

/** Which monitors are shown. */
export function Chooser() {
  const { t } = useTranslation()
  const [, update] = useUrlSearch()
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text, 250)
  const [chosen, setChosen] = useState<readonly number[]>([])
  const [seconds, setSeconds] = useState<number>(secondsDefault)
  const list = useQuery(
    api.isWarnapp.list.queryOptions({
      input: { limit: listedMax, ...(search ? { search } : {}) },
      placeholderData: keepPreviousData,
      refetchInterval: 15_000,
    }),
  )
  const { data } = list
  return (
    <div className={classes.chooser}>
      <Stack gap="md">
        <Title order={1}>{t('warnapp.choose')}</Title>
        <Text c="dimmed">{t('warnapp.chooseText', { max: shownMax })}</Text>
        <TextInput
          label={t('warnapp.search')}
          leftSection={<Icon of={IconSearch} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {list.isError && data === undefined ? (
          <ErrorState error={list.error} onRetry={() => void list.refetch()} />
        ) : data === undefined ? (
          <Loading />
        ) : data.items.length === 0 ? (
          <EmptyState
            icon={IconSpeakerphone}
            title={t(search === '' ? 'warnapp.empty' : 'warnapp.nothingFound')}
            text={t(search === '' ? 'warnapp.emptyViewer' : 'warnapp.nothingFoundText')}
          />
        ) : (
          <Stack gap={8} component="ul" className={classes.choices}>
            {data.items.map(({ id, title, accountName, level }) => (
              <li key={id} className={classes.choice}>
                <Checkbox
                  label={title}
                  description={accountName}
                  checked={chosen.includes(id)}
                  disabled={!chosen.includes(id) && chosen.length >= shownMax}
                  onChange={({ currentTarget: { checked } }) =>
                    setChosen((before) => (checked ? [...before, id] : before.filter((each) => each !== id)))
                  }
                />
                <Group gap={8} wrap="nowrap">
                  <StatusBadge
                    tone={levelTones[level]}
                    icon={levelIcons[level]}
                    label={t(`warnapp.level.${level}`)}
                  />
                  <FavoriteStar type="warnMonitor" objectId={id} title={title} />
                </Group>
              </li>
            ))}
          </Stack>
        )}
        {data !== undefined && data.total > data.items.length ? (
          <Text size="sm" c="dimmed">
            {t('warnapp.moreFound', { shown: data.items.length, total: data.total })}
          </Text>
        ) : null}
        <Group align="end">
          {chosen.length > 1 ? (
            <NumberInput
              label={t('warnapp.seconds')}
              value={seconds}
              min={secondsMin}
              max={secondsMax}
              onChange={(value) => setSeconds(Number(value))}
            />
          ) : null}
          <Button
            leftSection={<Icon of={IconDeviceTv} />}
            disabled={chosen.length === 0}
            onClick={() => update({ twins: chosen.join(','), seconds: String(seconds) }, { push: true })}
          >
            {t('warnapp.show')}
          </Button>
          <Button component="a" href="#/home" variant="subtle">
            {t('warnapp.leave')}
          </Button>
        </Group>
      </Stack>
    </div>
  )
}
