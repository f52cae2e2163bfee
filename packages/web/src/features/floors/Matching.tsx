import { Button, Group, Text } from '@mantine/core'
import { IconRestore } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import classes from './floors.module.css'
import type { MatchingState } from './useMatching.ts'

interface MatchingProps {
  url: string
  name: string
  matching: MatchingState
}

/** The picture beside the map: points are clicked on both in turn. */
export function Matching({ url, name, matching }: MatchingProps) {
  const { t } = useTranslation()
  const { next, spots, isUnfitting } = matching
  const number = next === 'place' ? spots.length : spots.length + 1
  return (
    <div className={classes.matching}>
      <Text size="sm" fw={550} aria-live="polite">
        {t(next === 'place' ? 'floors.matching.place' : 'floors.matching.spot', { number })}
      </Text>
      {isUnfitting ? (
        <Text size="sm" c="var(--health-error)" role="alert">
          {t('floors.matching.unfitting')}
        </Text>
      ) : null}
      <button
        type="button"
        className={classes.picture}
        data-active={next === 'spot' || undefined}
        onClick={(event) => {
          const { left, top, width, height } = event.currentTarget.getBoundingClientRect()
          // By keyboard there is no point.
          if (event.detail === 0) return
          matching.pickSpot({ x: (event.clientX - left) / width, y: (event.clientY - top) / height })
        }}
      >
        <img src={url} alt={name} draggable={false} />
        {spots.map(({ x, y }, index) => (
          <span
            key={`${x} ${y}`}
            className={classes.spot}
            style={{ left: `${x * 100}%`, top: `${y * 100}%` }}
          >
            {index + 1}
          </span>
        ))}
      </button>
      <Group gap={8}>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<Icon of={IconRestore} size={14} />}
          disabled={spots.length === 0}
          onClick={matching.restart}
        >
          {t('floors.matching.restart')}
        </Button>
        <Button size="compact-sm" variant="default" onClick={matching.toggle}>
          {t('common.cancel')}
        </Button>
      </Group>
    </div>
  )
}
