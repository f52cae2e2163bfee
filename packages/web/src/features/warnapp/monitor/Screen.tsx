import type { WarnMonitor } from '@leitstand/contract/warnapp'
import type { WarnLevel } from '@leitstand/contract/warnLevels'
import { Button } from '@mantine/core'
import {
  IconBellOff,
  IconChevronLeft,
  IconChevronRight,
  IconDoorExit,
  IconMaximize,
  IconPlayerPause,
  IconPlayerPlay,
  IconVolume,
  IconVolumeOff,
  IconWifiOff,
} from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { describeError } from '../../../lib/errors.ts'
import { formatClock, formatNumber, formatTimeShort } from '../../../lib/format.ts'
import { useLiveStatus } from '../../../lib/live.ts'
import { usePageTitle } from '../../../lib/page.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { levelIcons } from '../levels.ts'
import { urlOf, useMedia, type Wanted } from '../media.ts'
import { type Alarms, afterOf, type Known, knownOf, nextAlarms, silenced, turnsOf } from '../pure.ts'
import classes from './monitor.module.css'
import { stampNow, useMonitors } from './useMonitors.ts'
import { useNewVersion } from './useNewVersion.ts'
import { useSound } from './useSound.ts'
import { useWakeLock } from './useWakeLock.ts'

/** A monitor on this screen. Without an answer it is unknown. */
interface Shown {
  id: number
  level: WarnLevel
  monitor: WarnMonitor | undefined
  known: Known | undefined
  /** why the last question failed */
  error: unknown
}

/** Monitors that take turns, for as long as the page is open. */
export function Screen({ ids, seconds }: { ids: readonly number[]; seconds: number }) {
  const { t } = useTranslation()
  const queries = useMonitors(ids)
  const stamp = useClock()
  const shown: Shown[] = ids.map((id, index) => {
    const { data, error } = queries[index] ?? {}
    const known = data && knownOf(data, stamp)
    return { id, level: known?.level ?? 'unknown', monitor: data?.monitor, known, error }
  })
  const { current, step, isPaused, setPaused } = useTurns(shown, seconds)
  const [alarms, silence] = useAlarms(shown)
  const urls = useWantedMedia(shown)
  const heard = shown.find(({ monitor }) =>
    monitor?.states.some(({ stateId }) => alarms.get(stateId) === 'heard'),
  )
  const sound = useSound(
    heard?.monitor === undefined ? undefined : (urlOf(urls, heard.id, 'sound', heard.monitor.sound) ?? null),
  )
  const wake = useWakeLock()
  useQuietReload(sound.state !== 'on' && heard === undefined)
  const it = shown.find(({ id }) => id === current) ?? (shown[0] as Shown)
  usePageTitle(it.monitor?.title)
  useKeys((key) => {
    if (key === 'ArrowRight') step(1)
    else if (key === 'ArrowLeft') step(-1)
    else if (key === 'p') setPaused((is) => !is)
  })
  const image = it.monitor && urlOf(urls, it.id, 'image', it.monitor.image)
  return (
    <div className={classes.screen} data-level={it.level}>
      <audio ref={sound.element} className={classes.audio}>
        <track kind="captions" />
      </audio>
      <header className={classes.head}>
        {image ? <img className={classes.image} src={image} alt="" /> : null}
        <div className={classes.names}>
          <h1 className={classes.title}>{it.monitor?.title ?? t('warnapp.monitor')}</h1>
          <p className={classes.level} role="status">
            <LevelMark level={it.level} />
            <span>{t(`warnapp.level.${it.level}`)}</span>
          </p>
        </div>
        <Contact of={it} />
      </header>
      <Problems of={it} />
      {sound.state === 'off' ? (
        <div className={classes.bar} role="alert">
          <Icon of={IconVolumeOff} size={28} />
          <span className={classes.barText}>{t('warnapp.soundOff')}</span>
          <Button size="lg" leftSection={<Icon of={IconVolume} />} onClick={sound.start}>
            {t('warnapp.startSound')}
          </Button>
        </div>
      ) : null}
      {heard === undefined ? null : (
        <div className={classes.bar} role="alert">
          <Icon of={IconVolume} size={28} />
          <span className={classes.barText}>{t('warnapp.alarmOf', { title: heard.monitor?.title })}</span>
          <Button size="lg" leftSection={<Icon of={IconBellOff} />} onClick={silence}>
            {t('warnapp.silence')}
          </Button>
        </div>
      )}
      <States of={it} />
      <footer className={classes.foot}>
        {shown.length > 1 ? (
          <nav aria-label={t('warnapp.monitors')} className={classes.turns}>
            {shown.map(({ id, level, monitor }) => (
              <button
                key={id}
                type="button"
                className={classes.turn}
                data-level={level}
                aria-current={id === it.id}
                onClick={() => step(id)}
              >
                <Icon of={levelIcons[level]} />
                <span>{monitor?.title ?? `#${id}`}</span>
                <span className={classes.hidden}>{t(`warnapp.level.${level}`)}</span>
              </button>
            ))}
          </nav>
        ) : null}
        <div className={classes.tools}>
          {wake === 'none' ? <span className={classes.note}>{t('warnapp.noWakeLock')}</span> : null}
          {shown.length > 1 ? (
            <>
              <Tool label={t('warnapp.previous')} icon={IconChevronLeft} onClick={() => step(-1)} />
              <Tool
                label={t(isPaused ? 'warnapp.resume' : 'warnapp.pause')}
                icon={isPaused ? IconPlayerPlay : IconPlayerPause}
                onClick={() => setPaused((is) => !is)}
              />
              <Tool label={t('warnapp.nextMonitor')} icon={IconChevronRight} onClick={() => step(1)} />
            </>
          ) : null}
          {sound.state === 'on' ? (
            <Tool label={t('warnapp.stopSound')} icon={IconVolume} onClick={sound.stop} />
          ) : null}
          {document.fullscreenEnabled ? (
            <Tool label={t('warnapp.fullscreen')} icon={IconMaximize} onClick={toggleFullscreen} />
          ) : null}
          <a
            className={classes.tool}
            href="#/is-warnapp-viewer"
            aria-label={t('warnapp.chooseOthers')}
            title={t('warnapp.chooseOthers')}
          >
            <Icon of={IconDoorExit} size={22} />
          </a>
        </div>
      </footer>
    </div>
  )
}

function Tool({ label, icon, onClick }: { label: string; icon: typeof IconVolume; onClick: () => void }) {
  return (
    <button type="button" className={classes.tool} aria-label={label} title={label} onClick={onClick}>
      <Icon of={icon} size={22} />
    </button>
  )
}

/** The time of the server, and when it was last heard. */
function Contact({ of: { known } }: { of: Shown }) {
  const { t } = useTranslation()
  const status = useLiveStatus()
  if (known === undefined) return null
  return (
    <p className={classes.contact}>
      <span className={classes.clock}>{formatClock(known.serverMs)}</span>
      <span>{t('warnapp.contact', { time: formatClock(known.serverMs - known.silentMs) })}</span>
      {status === 'live' ? null : <span>{t('warnapp.notLive')}</span>}
    </p>
  )
}

/** Why nothing on the screen counts. */
function Problems({ of: { known, error, monitor } }: { of: Shown }) {
  const { t } = useTranslation()
  const text = error === null || error === undefined ? undefined : describeError(error).text
  if (known === undefined) {
    if (text === undefined) return <Problem>{t('warnapp.reading')}</Problem>
    return <Problem>{t('warnapp.unreadable', { error: text })}</Problem>
  }
  if (known.isLost)
    return <Problem>{t('warnapp.lost', { time: formatTimeShort(known.serverMs - known.silentMs) })}</Problem>
  if (monitor?.states.length === 0) return <Problem>{t('warnapp.noStates')}</Problem>
  return null
}

function Problem({ children }: { children: ReactNode }) {
  return (
    <div className={classes.bar} role="alert">
      <Icon of={IconWifiOff} size={28} />
      <span className={classes.barText}>{children}</span>
    </div>
  )
}

function States({ of: { monitor, known } }: { of: Shown }) {
  const { t } = useTranslation()
  const states = monitor?.states ?? []
  const size = states.length <= 2 ? 'few' : states.length <= 6 ? 'some' : 'many'
  return (
    <ul className={classes.states} data-size={size} data-lost={known?.isLost}>
      {states.map((state, index) => {
        const level = known?.levels[index] ?? 'unknown'
        return (
          <li key={state.stateId} className={classes.state} data-level={level}>
            <h2 className={classes.stateTitle}>{state.title}</h2>
            <p className={classes.value}>
              <span>{valueText(state.value, state.decimals, t('common.yes'), t('common.no'))}</span>
              {state.unit === '' || state.value === null ? null : (
                <span className={classes.unit}>{state.unit}</span>
              )}
            </p>
            <p className={classes.stateLevel}>
              <LevelMark level={level} />
              <span>{t(`warnapp.level.${level}`)}</span>
              <span className={classes.age}>
                {state.time === null
                  ? t('warnapp.noValue')
                  : t('warnapp.valueOf', { time: formatTimeShort(state.time) })}
              </span>
            </p>
          </li>
        )
      })}
    </ul>
  )
}

function valueText(value: unknown, decimals: number | null, yes: string, no: string): string {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'number') return formatNumber(value, decimals ?? undefined)
  if (typeof value === 'boolean') return value ? yes : no
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Now; renders again each second. */
function useClock() {
  const [, setTicks] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), 1000)
    return () => clearInterval(timer)
  }, [])
  return stampNow()
}

function LevelMark({ level }: { level: WarnLevel }) {
  const Shape = levelIcons[level]
  return <Shape size="1.1em" stroke={2} aria-hidden />
}

/** Which monitor is shown. A bad one comes to the front; while there are bad ones, the others take no turn. */
function useTurns(shown: readonly Shown[], seconds: number) {
  const turns = turnsOf(shown)
  const key = turns.join(',')
  const isBad = shown.some(({ level }) => level === 'bad')
  const [chosen, setChosen] = useState(turns[0])
  const [isPaused, setPaused] = useState(false)
  const ids = shown.map(({ id }) => id)
  // When others become bad, they are shown even while the turns are paused.
  const [seen, setSeen] = useState(key)
  if (seen !== key) {
    setSeen(key)
    if (isBad && (chosen === undefined || !turns.includes(chosen))) setChosen(turns[0])
  }
  useEffect(() => {
    if (isPaused) return
    // One that was chosen by hand has its whole time, too.
    const next = afterOf(key.split(',').map(Number), chosen)
    const timer = setTimeout(() => setChosen(next), seconds * 1000)
    return () => clearTimeout(timer)
  }, [key, seconds, isPaused, chosen])
  return {
    current: chosen,
    isPaused,
    setPaused,
    /** @param to 1 or -1 for the neighbour, or the id of a monitor */
    step: (to: number) => setChosen((current) => (to === 1 || to === -1 ? afterOf(ids, current, to) : to)),
  }
}

function useAlarms(shown: readonly Shown[]): [Alarms, () => void] {
  const [alarms, setAlarms] = useState<Alarms>(new Map())
  const states = shown.flatMap(({ monitor, known }) =>
    (monitor?.states ?? []).map(({ stateId }, index) => ({
      stateId,
      level: known?.levels[index] ?? ('unknown' as const),
    })),
  )
  const next = nextAlarms(alarms, states)
  if (next !== alarms) setAlarms(next)
  return [next, () => setAlarms(silenced)]
}

function useWantedMedia(shown: readonly Shown[]) {
  const wanted: Wanted[] = shown.flatMap(({ id, monitor }) =>
    (['image', 'sound'] as const).flatMap((role) => {
      const media = monitor?.[role]
      return media ? [{ id, role, media }] : []
    }),
  )
  return useMedia(wanted)
}

/** A new version of the console is loaded when that takes nothing away: after it, a person would have to start the sound again. */
function useQuietReload(isQuiet: boolean): void {
  const isNew = useNewVersion()
  useEffect(() => {
    if (isNew && isQuiet) location.reload()
  }, [isNew, isQuiet])
}

function useKeys(press: (key: string) => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      press(event.key)
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  })
}

function toggleFullscreen(): void {
  if (document.fullscreenElement) void document.exitFullscreen()
  else void document.documentElement.requestFullscreen()
}
