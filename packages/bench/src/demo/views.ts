import type { WidgetDefinition } from '@leitstand/contract/dashboards'
import type { Condition, RuleAction } from '@leitstand/contract/rules'

type Find = (title: string, key: string) => number
type Definition = Pick<WidgetDefinition, 'type' | 'title' | 'size'> & Partial<Record<string, unknown>>

/** °C at which the rule of the server room fires */
export const serverRoomLimit = 27

const size = (columns: number, minHeightPx = 300) => ({ columns, minHeightPx })
const classRooms = ['Klasse 1a', 'Klasse 1b', 'Klasse 2a', 'Klasse 2b']

/** The two dashboards of the demo city. */
export function dashboards(find: Find, twin: (title: string) => number) {
  const climate: Definition[] = [
    {
      type: 'value',
      title: 'Auf einen Blick',
      size: size(12, 150),
      valueOptions: {
        stateIds: [
          find('Rathaus', 'temperature'),
          find('Rathaus', 'co2_max'),
          find('Grundschule am Park', 'temperature'),
          find('Grundschule am Park', 'co2_max'),
          find('Rathaus', 'water'),
        ],
      },
    },
    {
      type: 'chart',
      title: 'CO₂ in den Klassen',
      size: size(8, 340),
      chartOptions: {
        kind: 'line',
        stateIds: classRooms.map((room) => find(room, 'co2')),
        smooth: true,
        thresholds: [{ value: 1000, label: 'Lüften' }],
      },
    },
    {
      type: 'chart',
      title: 'Höchstes CO₂ der Schule',
      size: size(4, 340),
      chartOptions: {
        kind: 'gauge',
        stateIds: [find('Grundschule am Park', 'co2_max')],
        min: 400,
        max: 2000,
        lowerThreshold: 1000,
        upperThreshold: 1500,
      },
    },
    {
      type: 'chart',
      title: 'Temperaturen im Rathaus',
      size: size(6),
      chartOptions: {
        kind: 'line',
        stateIds: ['Foyer', 'Bürgerbüro', 'Ratssaal', 'Serverraum'].map((room) => find(room, 'temperature')),
      },
    },
    {
      type: 'twin-table',
      title: 'Räume',
      size: size(6),
      twinTableOptions: {
        twinIds: [...classRooms, 'Bürgerbüro', 'Ratssaal', 'Foyer', 'Büro 1.01'].map(twin),
        stateKeys: ['temperature', 'humidity', 'co2'],
      },
    },
  ]
  const streets: Definition[] = [
    {
      type: 'value',
      title: 'Jetzt',
      size: size(12, 150),
      valueOptions: {
        stateIds: [
          find('Stadtpark', 'temperature'),
          find('Stadtpark', 'wind_speed'),
          find('Marktplatz', 'occupied'),
          find('Bahnhofstraße', 'pm2_5'),
          find('Stadtpark', 'soil_moisture'),
        ],
      },
    },
    {
      type: 'twin-map',
      title: 'Straßen und Plätze',
      size: size(7, 380),
      twinMapOptions: {
        twinIds: [
          'Marktplatz',
          'Wertstoffinsel Marktplatz',
          'Bahnhofstraße',
          'Ringstraße',
          'Mühlbach',
          'Stadtpark',
        ].map(twin),
      },
    },
    {
      type: 'chart',
      title: 'Belegte Stellplätze am Marktplatz',
      size: size(5, 380),
      chartOptions: {
        kind: 'gauge',
        stateIds: [find('Marktplatz', 'occupied')],
        min: 0,
        max: 6,
        lowerThreshold: 4,
        upperThreshold: 5,
      },
    },
    {
      type: 'chart',
      title: 'Feinstaub',
      size: size(6),
      chartOptions: {
        kind: 'bar',
        stateIds: [find('Bahnhofstraße', 'pm2_5'), find('Ringstraße', 'pm2_5')],
        duration: '1h',
        thresholds: [{ value: 25, label: 'Grenzwert' }],
      },
    },
    {
      type: 'chart',
      title: 'Wetter im Stadtpark',
      size: size(6),
      chartOptions: {
        kind: 'line',
        stateIds: [find('Stadtpark', 'temperature'), find('Stadtpark', 'wind_speed')],
        area: true,
      },
    },
  ]
  return [
    { name: 'Raumklima', description: 'Rathaus und Grundschule', widgets: climate as WidgetDefinition[] },
    {
      name: 'Straßen und Umwelt',
      description: 'Parken, Luft, Wetter, Grünflächen',
      widgets: streets as WidgetDefinition[],
    },
  ]
}

export interface RuleSpec {
  twin: string
  /** created before the last days of the history are sent, or after it */
  from: 'history' | 'live'
  title: string
  metrics: { alias: string; stateId: number; operation?: 'latest' | 'avg'; lastMinutes?: number }[]
  conditions: Condition
  throttleHours: number
  actions: RuleAction[]
}

/** The rules of the demo city: some have fired, one nearly does. */
export function rules(find: Find): RuleSpec[] {
  const above = (metric: string, value: number): Condition => ({
    op: 'gt',
    left: { metric },
    right: { value },
  })
  return [
    {
      twin: 'Wertstoffinsel Marktplatz',
      from: 'history',
      title: 'Glascontainer voll',
      throttleHours: 12,
      metrics: [{ alias: 'glas', stateId: find('Wertstoffinsel Marktplatz', 'glass') }],
      conditions: above('glas', 85),
      actions: [
        {
          kind: 'alarm',
          severity: 'error',
          category: 'device',
          message: 'Glascontainer zu {{glas}} % voll, Abholung fällig',
        },
      ],
    },
    {
      twin: 'Wertstoffinsel Marktplatz',
      from: 'history',
      title: 'Papiercontainer voll',
      throttleHours: 12,
      metrics: [{ alias: 'papier', stateId: find('Wertstoffinsel Marktplatz', 'paper') }],
      conditions: above('papier', 80),
      actions: [
        {
          kind: 'alarm',
          severity: 'warning',
          category: 'device',
          message: 'Papiercontainer zu {{papier}} % voll, Abholung fällig',
        },
      ],
    },
    {
      twin: 'Klasse 2a',
      from: 'history',
      title: 'Stickige Luft',
      throttleHours: 0,
      metrics: [{ alias: 'co2', stateId: find('Klasse 2a', 'co2') }],
      conditions: above('co2', 1700),
      actions: [
        {
          kind: 'alarm',
          severity: 'warning',
          category: 'device',
          message: 'CO₂ bei {{co2}} ppm, bitte lüften',
        },
      ],
    },
    {
      twin: 'Grundschule am Park',
      from: 'history',
      title: 'Leckage am Wasserzähler',
      throttleHours: 12,
      metrics: [
        { alias: 'status', stateId: find('Grundschule am Park', 'water_status') },
        { alias: 'stand', stateId: find('Grundschule am Park', 'water') },
      ],
      conditions: above('status', 0),
      actions: [
        {
          kind: 'alarm',
          severity: 'warning',
          category: 'device',
          message: 'Der Wasserzähler meldet eine Leckage: Wasser läuft ohne Pause, Stand {{stand}} m³',
        },
      ],
    },
    {
      twin: 'Klasse 1a',
      from: 'live',
      title: 'Bitte lüften',
      throttleHours: 1,
      metrics: [{ alias: 'co2', stateId: find('Klasse 1a', 'co2'), operation: 'avg', lastMinutes: 15 }],
      conditions: above('co2', 1000),
      actions: [
        { kind: 'alarm', severity: 'warning', category: 'device', message: 'CO₂ im Mittel bei {{co2}} ppm' },
        {
          kind: 'email',
          recipients: ['hausmeister@sonnenhausen.example'],
          subject: 'Bitte lüften: {{twin.title}}',
          body: 'In {{twin.title}} liegt das CO₂ im Mittel der letzten 15 Minuten bei {{co2}} ppm ({{time}}).',
        },
      ],
    },
    {
      // The room stays between 25.5 and 26.9 °C: this rule nearly fires.
      twin: 'Serverraum',
      from: 'live',
      title: 'Serverraum zu warm',
      throttleHours: 0.5,
      metrics: [{ alias: 'temperatur', stateId: find('Serverraum', 'temperature') }],
      conditions: above('temperatur', serverRoomLimit),
      actions: [
        { kind: 'alarm', severity: 'error', category: 'device', message: 'Serverraum bei {{temperatur}} °C' },
        {
          kind: 'email',
          recipients: ['technik@sonnenhausen.example'],
          subject: 'Serverraum: {{temperatur}} °C',
          body: 'Der Serverraum im Rathaus ist {{temperatur}} °C warm ({{time}}).',
        },
      ],
    },
  ]
}
