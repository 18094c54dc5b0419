# slurm_conf FOLDER HOST LINE...: $SLURM_CONF, of a controller on this host and of what keeps all it has in that folder.
slurm_conf() {
  mkdir -p "$1"
  export SLURM_CONF=$1/slurm.conf
  cat >"$SLURM_CONF" <<END
ClusterName=sluice
SlurmctldHost=$2
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/%n
SlurmctldPidFile=$1/controller.pid
SlurmdPidFile=$1/%n.pid
SlurmctldLogFile=$1/controller.log
SlurmdLogFile=$1/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SchedulerType=sched/builtin
SlurmdParameters=config_overrides
ReturnToService=2
END
  printf '%s\n' "${@:3}" >>"$SLURM_CONF"
}
