import { ActionIcon, Button, Group, Select, Slider, Text } from '@mantine/core'
import {
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerSkipBack,
  IconPlayerSkipForward,
} from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { formatTimeExact, formatTimeShort } from '../../../lib/format.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import type { Place } from './places.ts'
import { gapChoices, nextReport, speedChoices } from './playback.ts'
import classes from './position.module.css'
import type { Playback } from './usePlayback.ts'

/** Whole minutes, hours or days. */
function wordsOf(ms: number, t: TFunction): string {
  const minutes = ms / 60_000
  if (minutes < 60) return t('deviceHealth.durations.minute', { count: minutes })
  if (minutes < 1440) return t('deviceHealth.durations.hour', { count: minutes / 60 })
  return t('deviceHealth.durations.day', { count: minutes / 1440 })
}

/** An arrow key moves by this share of the period. */
const keyShare = 1 / 200

interface PlaybackBarProps {
  playback: Playback
  /** whose reports the steps lead to */
  tracks: readonly (readonly Place[])[]
  gapMs: number
  onGap: (gapMs: number) => void
  /** what is seen at the moment, in words */
  words: string
}

/** Plays a period: start and stop, a slider, steps from report to report, the speed, and what counts as a silence. */
export function PlaybackBar({ playback, tracks, gapMs, onGap, words }: PlaybackBarProps) {
  const { t } = useTranslation()
  const { fromMs, toMs, atMs, playing } = playback
  const shownMs = atMs ?? toMs
  const step = (direction: 1 | -1) => {
    const to = nextReport(tracks, shownMs, direction)
    return to === undefined || to < fromMs || to > toMs ? undefined : () => playback.show(to)
  }
  const [back, forth] = [step(-1), atMs === null ? undefined : step(1)]
  return (
    <section className={classes.playback} aria-label={t('playback.title')}>
      <Group gap={8} wrap="nowrap">
        <ActionIcon
          variant="default"
          aria-label={t('playback.back')}
          title={t('playback.back')}
          disabled={!back}
          onClick={back}
        >
          <Icon of={IconPlayerSkipBack} size={16} />
        </ActionIcon>
        <ActionIcon
          variant="filled"
          color="accent"
          size="lg"
          aria-label={t(playing ? 'playback.pause' : 'playback.play')}
          title={t(playing ? 'playback.pause' : 'playback.play')}
          onClick={playback.toggle}
        >
          <Icon of={playing ? IconPlayerPause : IconPlayerPlay} size={18} />
        </ActionIcon>
        <ActionIcon
          variant="default"
          aria-label={t('playback.forth')}
          title={t('playback.forth')}
          disabled={!forth}
          onClick={forth}
        >
          <Icon of={IconPlayerSkipForward} size={16} />
        </ActionIcon>
        <Slider
          className={classes.slider ?? ''}
          min={fromMs}
          max={toMs}
          step={Math.max(1, Math.round((toMs - fromMs) * keyShare))}
          value={shownMs}
          onChange={(at) => playback.show(at)}
          label={formatTimeShort}
          thumbLabel={t('playback.moment')}
          thumbValueText={formatTimeExact}
        />
      </Group>
      <Group gap={12} justify="space-between" align="flex-end">
        <div className={classes.moment}>
          <Text size="sm" fw={600}>
            {atMs === null ? t('playback.whole') : formatTimeExact(atMs)}
          </Text>
          <Text size="sm" c="dimmed">
            {atMs === null ? t('playback.wholeHint') : words}
          </Text>
        </div>
        {atMs === null ? null : (
          <Button variant="subtle" color="gray" onClick={() => playback.show(null)}>
            {t('playback.showWhole')}
          </Button>
        )}
        <div className={classes.choices}>
          <Select
            label={t('playback.speed')}
            allowDeselect={false}
            data={speedChoices.map((speed) => ({
              value: String(speed),
              label: t('playback.perSecond', { duration: wordsOf(speed, t) }),
            }))}
            value={String(playback.speed)}
            onChange={(speed) => playback.setSpeed(Number(speed))}
          />
          <Select
            label={t('playback.gap')}
            allowDeselect={false}
            data={gapChoices.map((gap) => ({ value: String(gap), label: wordsOf(gap, t) }))}
            value={String(gapMs)}
            onChange={(gap) => onGap(Number(gap))}
          />
        </div>
      </Group>
    </section>
  )
}
