package analysis

// ModesFrom is as few runs as can show two modes.
const ModesFrom = 10
